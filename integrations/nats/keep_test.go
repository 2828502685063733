package urinats_test

import _ "github.com/stretchr/testify/require"
