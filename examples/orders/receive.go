package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is the shop's side: it checks each call's signature and notes it.
type receiver struct {
	verify *standardwebhooks.Webhook

	mu  sync.Mutex
	out *bufio.Writer // guarded by mu
	n   int           // guarded by mu
	bad int           // guarded by mu: wrong signatures
}

// receive serves until it is interrupted.
func receive(args []string) error {
	fs := flag.NewFlagSet("receive", flag.ExitOnError)
	listen := fs.String("listen", "127.0.0.1:9000", "the address to listen on")
	secret := fs.String("secret", "", "the queue's signing secret, whsec_…")
	out := fs.String("out", "deliveries.tsv", "the file to note deliveries in")
	if err := fs.Parse(args); err != nil {
		return err
	}
	verify, err := standardwebhooks.NewWebhook(*secret)
	if err != nil {
		return fmt.Errorf("-secret: %w", err)
	}
	file, err := os.Create(*out)
	if err != nil {
		return err
	}
	r := &receiver{verify: verify, out: bufio.NewWriter(file)}
	if err := r.serve(*listen); err != nil {
		return err
	}
	log.Printf("%d deliveries, %d with a wrong signature", r.n, r.bad)
	return errors.Join(r.out.Flush(), file.Close())
}

func (r *receiver) serve(listen string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{Addr: listen, Handler: http.HandlerFunc(r.close), ReadHeaderTimeout: 10 * time.Second}
	ended := context.AfterFunc(ctx, func() { _ = server.Close() }) // what is under way is tried again
	defer ended()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// close is where an unpaid order would be closed. A real shop would look
// whether it did so already, by the id, which all attempts share.
func (r *receiver) close(w http.ResponseWriter, req *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	verified := r.verify.Verify(body, req.Header)
	r.mu.Lock()
	defer r.mu.Unlock()
	if verified != nil {
		r.bad++
		http.Error(w, "wrong signature", http.StatusUnauthorized)
		return
	}
	r.n++
	h := req.Header
	if _, err := fmt.Fprintf(r.out, "%s\t%s\t%s\t%d\n", h.Get("Timewheel-Key"), h.Get("Timewheel-Attempt"), h.Get("Timewheel-Due"), at.UnixMicro()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
