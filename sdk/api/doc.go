// Package api is the contract between svcd and its clients: request and answer
// types of every operation, errors and their codes. It imports the standard
// library only and knows neither transport nor storage.
//
// Struct tags describe the wire: json names, and doc, enum, default, minLength,
// maxLength, minimum, maximum, pattern, maxItems and null as the daemon's
// schema reads them. Times are RFC 3339 in UTC with milliseconds.
package api
