// Package part is what screens are made of: boxes, lists, fields, text that
// scrolls, and how they look. It knows no screen and asks the daemon nothing.
package part
