package urihttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
)

// A reverse proxy that keeps "/admin" to itself. Without the policy, a server behind it that decodes escaped
// slashes would serve "/admin".
func Example() {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "welcome to ", r.RequestURI)
	}))
	defer backend.Close()
	to, err := url.Parse(backend.URL)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(to))
	mux.Handle("/admin/", http.NotFoundHandler())

	policy := urihttp.Strict()
	proxy := httptest.NewServer(policy.Handler(mux))
	defer proxy.Close()

	for _, target := range []string{
		"/public/%7Euser?q=1", "/public/..%2fadmin/x", "/public/..;/admin/x", "/admin/x",
	} {
		response, err := http.Get(proxy.URL + target)
		if err != nil {
			log.Fatal(err)
		}
		body := make([]byte, 100)
		n, _ := response.Body.Read(body)
		response.Body.Close()
		fmt.Printf("%s\n\t%d %s\n", target, response.StatusCode, body[:n])
	}
	// Output:
	// /public/%7Euser?q=1
	// 	200 welcome to /public/~user?q=1
	// /public/..%2fadmin/x
	// 	400 Bad Request
	//
	// /public/..;/admin/x
	// 	400 Bad Request
	//
	// /admin/x
	// 	404 404 page not found
}

// The three lines that install a policy.
func ExamplePolicy_Handler() {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { /* ... */ }}

	policy := urihttp.Strict()
	server := http.Server{Addr: ":8080", Handler: policy.Handler(proxy)}
	_ = server.ListenAndServe
}

// A policy for each route, and its refusals in the log.
func ExamplePolicy() {
	strict := urihttp.Strict()
	strict.OnRefuse = func(w http.ResponseWriter, r *http.Request, why error) {
		fmt.Printf("%s: %v\n", urihttp.AppendRequestLine(nil, r), why)
		w.WriteHeader(http.StatusBadRequest)
	}
	files := strict // names of files have slashes
	files.EscapedSlashes = urihttp.Keep

	serve := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println("served:", r.URL.EscapedPath())
	})
	for _, target := range []string{"/files/a%2Fb", "/files/..%2Fb"} {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		files.Handler(serve).ServeHTTP(httptest.NewRecorder(), r)
		strict.Handler(serve).ServeHTTP(httptest.NewRecorder(), r)
	}
	// Output:
	// served: /files/a%2Fb
	// GET /files/a%2Fb HTTP/1.1: urihttp: target refused: HasEncodedSlash
	// GET /files/..%2Fb HTTP/1.1: urihttp: target refused: HasEncodedDotSegment
	// GET /files/..%2Fb HTTP/1.1: urihttp: target refused: HasEncodedSlash|HasEncodedDotSegment
}

func ExampleStrict() {
	policy := urihttp.Strict()
	for _, target := range []string{"/%7Euser", "/a/%2e%2e/admin", "/a;v=1", "/a?width=100%"} {
		out, action, err := policy.AppendTarget(nil, []byte("GET"), []byte(target), []byte("example.com"))
		fmt.Printf("%v %s %v\n", action, out, err)
	}
	// Output:
	// Rewrite /~user <nil>
	// Refuse  urihttp: target refused: HasEncodedDotSegment
	// Refuse  urihttp: target refused: HasPathParam
	// Refuse  urihttp: target refused: uri: invalid percent-encoding at offset 13
}

func ExampleEnvoy() {
	policy := urihttp.Envoy()
	for _, target := range []string{"/%7Euser", "/a/%2e%2e/admin", "/a%2fb", "/a?width=100%"} {
		out, action, err := policy.AppendTarget(nil, []byte("GET"), []byte(target), []byte("example.com"))
		fmt.Printf("%v %s %v\n", action, out, err)
	}
	// Output:
	// Rewrite /~user <nil>
	// Rewrite /admin <nil>
	// Redirect /a/b <nil>
	// Rewrite /a?width=100%25 <nil>
}

// Middleware with handlers that return errors, such as Caddy's, answers by itself.
func ExamplePolicy_Decide() {
	policy := urihttp.Envoy()
	serve := func(w http.ResponseWriter, r *http.Request, next http.Handler) error {
		decided, action, err := policy.Decide(r)
		switch action {
		case urihttp.Refuse:
			return err
		case urihttp.Redirect:
			w.Header().Set("Location", decided.RequestURI)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return nil
		}
		next.ServeHTTP(w, decided)
		return nil
	}
	next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { fmt.Println("pass on:", r.URL) })
	for _, target := range []string{"/a", "/a/../b", "/a%2Fb", "/a%00"} {
		w := httptest.NewRecorder()
		err := serve(w, httptest.NewRequest(http.MethodGet, target, nil), next)
		switch {
		case err != nil:
			fmt.Println(err)
		case w.Code != http.StatusOK:
			fmt.Println("redirect:", w.Header().Get("Location"))
		}
	}
	// Output:
	// pass on: /a
	// pass on: /b
	// redirect: /a/b
	// urihttp: target refused: HasEncodedNUL
}

// A policy from a configuration may contradict itself.
func ExamplePolicy_Validate() {
	policy := urihttp.Strict()
	policy.MergeSlashes = true
	fmt.Println(policy.Validate())

	policy.RefuseTraits &^= uri.HasDoubleSlash
	fmt.Println(policy.Validate())
	// Output:
	// urihttp: MergeSlashes: RefuseTraits include HasDoubleSlash
	// <nil>
}

// A server that is not net/http, such as fasthttp, has the parts of a request as bytes.
func ExamplePolicy_AppendTarget() {
	policy := urihttp.Envoy()
	var buf []byte // reuse it
	handle := func(method, target, host []byte) {
		var (
			action urihttp.Action
			err    error
		)
		switch buf, action, err = policy.AppendTarget(buf[:0], method, target, host); action {
		case urihttp.Refuse:
			fmt.Println("400:", err)
		case urihttp.Redirect:
			fmt.Printf("307: %s\n", buf)
		default:
			fmt.Printf("pass on: %s\n", buf)
		}
	}
	handle([]byte("GET"), []byte("/a/./b"), []byte("example.com"))
	handle([]byte("GET"), []byte("/a%2Fb"), []byte("example.com"))
	handle([]byte("GET"), []byte("http://other.test/a"), []byte("example.com"))
	// Output:
	// pass on: /a/b
	// 307: /a/b
	// 400: urihttp: Host field refused: uri: Host field does not agree with the target
}

func ExampleRefusal() {
	policy := urihttp.Strict()
	_, _, err := policy.AppendTarget(nil, []byte("GET"), []byte("/a/../b"), []byte("example.com"))
	var why urihttp.Refusal
	fmt.Println(errors.As(err, &why), why.Traits == uri.HasDotSegment)
	// Output: true true
}

func ExampleAction() {
	fmt.Println(urihttp.Keep, urihttp.Refuse, urihttp.Rewrite, urihttp.Redirect)
	// Output: Keep Refuse Rewrite Redirect
}

// Configuration names actions.
func ExampleAction_UnmarshalText() {
	policy := urihttp.Strict()
	err := json.Unmarshal([]byte(`{"EscapedSlashes": "Redirect"}`), &policy)
	fmt.Println(policy.EscapedSlashes, err)
	// Output: Redirect <nil>
}

// An access log without tokens.
func ExampleAppendRequestLine() {
	logged := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			line := urihttp.AppendRequestLine(nil, r)
			log.New(os.Stdout, "", 0).Printf("%s", line)
			next.ServeHTTP(w, r)
		})
	}
	handler := logged(urihttp.Strict().Handler(http.NotFoundHandler()))
	r := httptest.NewRequest(http.MethodGet, "/a?sig=S3CRET&page=2", nil)
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: GET /a?sig=REDACTED&page=2 HTTP/1.1
}
