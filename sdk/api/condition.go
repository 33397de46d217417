package api

import "encoding/json"

// Condition is a tree of rules: exactly one of All, Any, Not or a rule of Field, Op
// and Value.
type Condition struct {
	All   []Condition     `json:"all,omitempty" doc:"True when each of them is."`
	Any   []Condition     `json:"any,omitempty" doc:"True when one of them is."`
	Not   []Condition     `json:"not,omitempty" doc:"True when none of them is."`
	Field string          `json:"field,omitempty" maxLength:"200" doc:"Path to a value, such as person.attributes.plan."`
	Op    string          `json:"op,omitempty" enum:"eq,ne,gt,gte,lt,lte,in,contains,starts_with,exists,tagged,before,after,within" doc:"How the value is compared. Types are not converted: the text 5 is not the number 5."`
	Value json.RawMessage `json:"value,omitempty" doc:"What it is compared with: of exists true or false, of in a list, of before and after a time, of within a time such as 7d that ends now."`
}
