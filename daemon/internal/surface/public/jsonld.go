package public

import (
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// thing is a node of JSON-LD in the vocabulary of schema.org, which search engines
// read. It is data: browsers run nothing of it.
type thing map[string]any

// graph is the document of a page.
func graph(things ...thing) thing {
	return thing{"@context": "https://schema.org", "@graph": things}
}

// publisher is the team.
func publisher(s site) thing {
	t := thing{"@type": "Organization", "name": s.Name(), "url": s.Abs(s.Home())}
	if logo := s.Logo(); logo != "" {
		t["logo"] = thing{"@type": "ImageObject", "url": s.Abs(logo)}
	}
	return t
}

// crumb is a step of the way to a page.
type crumb struct{ name, path string }

func breadcrumbs(s site, way ...crumb) thing {
	items := make([]thing, len(way))
	for i, c := range way {
		items[i] = thing{"@type": "ListItem", "position": i + 1, "name": c.name, "item": s.Abs(c.path)}
	}
	return thing{"@type": "BreadcrumbList", "itemListElement": items}
}

func indexData(s site, tag string) thing {
	blog := thing{"@type": "Blog", "name": s.Name(), "url": s.Abs(s.Index()), "publisher": publisher(s)}
	if line := s.Tagline(); line != "" {
		blog["description"] = line
	}
	if tag == "" {
		return graph(blog)
	}
	return graph(blog, breadcrumbs(s, crumb{s.Name(), s.Index()}, crumb{tag, s.Tag(tag)}))
}

func postData(s site, post api.Post) thing {
	address := canonical(s, post)
	t := thing{
		"@type": "BlogPosting", "headline": post.Title, "url": address, "mainEntityOfPage": address,
		"datePublished": atomTime(post.PublishedAt), "dateModified": atomTime(max(post.UpdatedAt, post.PublishedAt)),
		"publisher": publisher(s), "wordCount": post.WordCount,
	}
	if text := summary(post); text != "" {
		t["description"] = text
	}
	if name := authorName(post); name != "" {
		t["author"] = thing{"@type": "Person", "name": name}
	}
	if image := shownImage(post); image != nil {
		t["image"] = s.Abs(image.URL)
	}
	if len(post.Tags) > 0 {
		t["keywords"] = strings.Join(post.Tags, ", ")
	}
	if post.Locale != "" {
		t["inLanguage"] = post.Locale
	}
	return graph(t, breadcrumbs(s, crumb{s.Name(), s.Index()}, crumb{post.Title, s.Post(post.Slug)}))
}

func helpData(s site, group *helpGroup) thing {
	page := thing{"@type": "CollectionPage", "name": "Help", "url": s.Abs(s.Help()), "publisher": publisher(s)}
	if group == nil {
		return graph(page)
	}
	page["name"], page["url"] = group.Name, s.Abs(group.Path)
	return graph(page, breadcrumbs(s, crumb{"Help", s.Help()}, crumb{group.Name, group.Path}))
}

func articleData(s site, body articlePage) thing {
	a := &body.Article
	address := s.Abs(body.Path())
	t := thing{
		"@type": "TechArticle", "headline": a.Title, "url": address, "mainEntityOfPage": address,
		"datePublished": atomTime(a.PublishedAt), "dateModified": atomTime(a.UpdatedAt), "publisher": publisher(s),
	}
	if a.Excerpt != "" {
		t["description"] = a.Excerpt
	}
	if a.Locale != "" {
		t["inLanguage"] = a.Locale
	}
	way := []crumb{{"Help", s.Help()}}
	if g := body.Group; g != nil {
		way = append(way, crumb{g.Name, g.Path})
	}
	return graph(t, breadcrumbs(s, append(way, crumb{a.Title, body.Path()})...))
}
