package main

// The keys. What is in braces puts them into one slot of a cluster, as the scripts need it.
const (
	blocksKey = "{uris}:blocks" // stream: one entry per block of lines, in the field "block"
	hostsKey  = "{uris}:hosts"  // hash: how often each host occurs
	totalsKey = "{uris}:totals" // hash: lines, invalid
	deadKey   = "{uris}:dead"   // stream: invalid lines, and entries that no worker could count
	group     = "count"         // consumer group of the blocks
)
