// Bare is what svcd is measured against: the same HTTP server and the same
// store with nothing between them. It knows one key, checks no scope, keeps no
// history and announces nothing, so its figures are the ceiling of the design.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
)

const (
	posts    = "/posts"
	listSize = 20
)

var (
	recordPrefix = []byte("r/")
	listPrefix   = []byte("l/")
	counter      = []byte("n")
)

// head is what a list shows of a post.
type head struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Slug   string `json:"slug"`
	Status string `json:"status"`
}

type post struct {
	head
	Content string `json:"content"`
}

type server struct {
	store kv.Store
	keys  map[string]bool // values of the Authorization header
}

// The arguments are the address to listen on, the data folder and the key.
func main() {
	address, data, key := os.Args[1], os.Args[2], os.Args[3]
	store, err := bolt.Open(filepath.Join(data, "bare.db"), bolt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := &server{store: store, keys: map[string]bool{"Bearer " + key: true}}
	log.Fatal(fasthttp.ListenAndServe(address, s.serve))
}

func (s *server) serve(ctx *fasthttp.RequestCtx) {
	if !s.keys[string(ctx.Request.Header.Peek("Authorization"))] {
		ctx.SetStatusCode(fasthttp.StatusUnauthorized)
		return
	}
	var err error
	switch id, one := strings.CutPrefix(string(ctx.Path()), posts+"/"); {
	case one:
		err = s.get(ctx, id)
	case ctx.IsPost():
		err = s.create(ctx)
	default:
		err = s.list(ctx)
	}
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
}

func (s *server) create(ctx *fasthttp.RequestCtx) error {
	var p post
	if err := json.Unmarshal(ctx.PostBody(), &p); err != nil {
		return err
	}
	p.ID = kv.NewID("post")
	listed, err := json.Marshal(&p.head)
	if err != nil {
		return err
	}
	whole, err := json.Marshal(&p)
	if err != nil {
		return err
	}
	ctx.SetStatusCode(fasthttp.StatusCreated)
	ctx.SetBody(whole)
	return s.store.Update(context.Background(), func(tx kv.Tx) error {
		n, err := tx.Get(counter)
		if err != nil {
			return err
		}
		total, _ := strconv.Atoi(string(n))
		if err := tx.Put(counter, strconv.AppendInt(nil, int64(total+1), 10)); err != nil {
			return err
		}
		if err := tx.Put(append(listPrefix[:2:2], p.ID...), listed); err != nil {
			return err
		}
		return tx.Put(append(recordPrefix[:2:2], p.ID...), whole)
	})
}

func (s *server) get(ctx *fasthttp.RequestCtx, id string) error {
	return s.store.View(context.Background(), func(tx kv.Tx) error {
		stored, err := tx.Get(append(recordPrefix[:2:2], id...))
		ctx.SetBody(stored)
		return err
	})
}

func (s *server) list(ctx *fasthttp.RequestCtx) error {
	return s.store.View(context.Background(), func(tx kv.Tx) error {
		r := kv.Prefix(listPrefix)
		r.Reverse = true
		left := listSize
		ctx.Response.AppendBodyString(`{"data":[`)
		err := tx.Scan(r, func(_, listed []byte) error {
			if left < listSize {
				ctx.Response.AppendBodyString(",")
			}
			ctx.Response.AppendBody(listed)
			if left--; left == 0 {
				return kv.Stop
			}
			return nil
		})
		ctx.Response.AppendBodyString("]}")
		return err
	})
}
