package media

// Sniff is sniff for the fuzz test.
var Sniff = sniff
