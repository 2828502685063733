#include <stdint.h>

// From duckdb.h, which is in a folder of another module that this one cannot name. Text that is not UTF-8
// becomes NULL.
void duckdb_vector_assign_string_element_len(void *vector, uint64_t index, const char *text, uint64_t length);

// uri_assign writes the rows of a vector. The text of each row ends where that of the next one begins.
void uri_assign(void *vector, uint64_t rows, const char *text, const uint64_t *ends) {
	uint64_t start = 0;
	for (uint64_t i = 0; i < rows; i++) {
		duckdb_vector_assign_string_element_len(vector, i, text + start, ends[i] - start);
		start = ends[i];
	}
}
