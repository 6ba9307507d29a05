// Package strictjson reads JSON documents that strangers send: from memory,
// front to back, in one pass, and to the letter of RFC 8259.
//
//	{"delay": "30m", "payload": {"order": 42}}
//	^Object          ^Text      ^Raw: checked, and handed on byte for byte
//
// It is for what encoding/json is lax about: names are matched exactly, the
// caller sees every one of them and so can refuse those that are unknown or
// given twice, nesting is bounded, bytes that are not UTF-8 are refused, and
// every error has a line and a column.
//
// It knows the grammar and nothing of what a document means. A Reader belongs
// to one goroutine; what it returns points into the document where it can.
package strictjson
