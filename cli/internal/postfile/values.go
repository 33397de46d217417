package postfile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/sdk/api"
)

func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 }

// text is a plain value in words.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case time.Time:
		return v.Format(time.RFC3339), true
	case int, int64, uint64:
		return fmt.Sprint(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// written is any value in words: JSON where it has parts.
func written(v any) string {
	if s, ok := text(v); ok {
		return s
	}
	b, err := json.Marshal(object(v))
	if err != nil || string(b) == "null" || string(b) == "[]" {
		return ""
	}
	return string(b)
}

func object(v any) any {
	switch v := v.(type) {
	case frontmatter.Map:
		out := map[string]any{}
		for _, m := range v {
			out[m.Key] = object(m.Value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = object(v[i])
		}
		return out
	}
	return v
}

func truth(v any) bool {
	s, _ := text(v)
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// statuses are the words of other programs.
var statuses = map[string]string{
	"publish": api.PostPublished, "live": api.PostPublished, "public": api.PostPublished, "published": api.PostPublished, "archived": api.PostArchived,
}

var tagForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

func firstValue(m frontmatter.Map, keys ...string) any {
	for _, key := range keys {
		if v := m.Get(key); v != nil {
			return v
		}
	}
	return nil
}

// cleanTags drops empty and repeated ones, and those that are not words.
func cleanTags(tags []string) Tags {
	out := Tags{}
	seen := map[string]bool{}
	for _, tag := range tags {
		tag = cut(strings.TrimPrefix(strings.Join(strings.Fields(tag), " "), "#"), maxTag)
		if fold := strings.ToLower(tag); tag != "" && !seen[fold] && len(out) < maxTags {
			seen[fold] = true
			out = append(out, tag)
		}
	}
	return out
}

func authorNames(v any) []string {
	switch v := v.(type) {
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, authorNames(item)...)
		}
		return out
	case frontmatter.Map:
		s, ok := text(firstValue(v, "name", "title", "display_name", "key", "id"))
		if !ok {
			return nil
		}
		return []string{s}
	}
	if s, _ := text(v); strings.TrimSpace(s) != "" {
		return []string{strings.Join(strings.Fields(s), " ")}
	}
	return nil
}

func imageOf(v any) (Image, bool) {
	switch v := v.(type) {
	case string:
		v = strings.TrimSpace(v)
		return Image{URL: v}, v == "" || strings.Contains(v, "://") || pictureName.MatchString(v) || strings.HasPrefix(v, "/media/")
	case []any:
		if len(v) > 0 {
			return imageOf(v[0])
		}
	case frontmatter.Map:
		src, _ := text(firstValue(v, "url", "src", "path", "image", "feature", "teaser", "file"))
		alt, _ := text(firstValue(v, "alt", "caption"))
		image, ok := imageOf(src)
		image.Alt = cut(strings.Join(strings.Fields(alt), " "), 500)
		return image, ok && src != ""
	}
	return Image{}, false
}

var pictureName = regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|svg)([?#].*)?$`)

// cut is the beginning of a text in at most n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n-1])
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.-–—") + "…"
}
