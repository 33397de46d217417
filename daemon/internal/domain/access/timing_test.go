package access_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
)

// BenchmarkWrongKeyTiming compares how long wrong keys take that share all but
// the last four characters with a right one, and ones that share nothing. It
// reports Welch's t, which should stay below 4.5 over 20,000 samples:
//
//	go test ./daemon/internal/domain/team -run xxx -bench WrongKeyTiming -benchtime 20000x
func BenchmarkWrongKeyTiming(b *testing.B) {
	w, all := benchmarkKeys(b)
	w.Access.Now = time.Now
	near := all[0][:len(all[0])-4] + "XXXX"
	far := []byte(near)
	for i := len("svc_"); i < len(far); i++ {
		far[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[rand.N(62)]
	}
	keys := [2]string{near, string(far)}
	var mean, m2, n [2]float64
	for b.Loop() {
		i := rand.N(2)
		begun := time.Now()
		if _, err := w.Access.Authenticate(b.Context(), keys[i], teamtest.Home); err == nil {
			b.Fatal("accepted")
		}
		x := float64(time.Since(begun))
		n[i]++
		d := x - mean[i]
		mean[i] += d / n[i]
		m2[i] += d * (x - mean[i])
	}
	se := math.Sqrt(m2[0]/(n[0]-1)/n[0] + m2[1]/(n[1]-1)/n[1])
	b.ReportMetric(math.Abs(mean[0]-mean[1])/se, "welch_t")
}
