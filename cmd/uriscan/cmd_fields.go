package main

import (
	"cmp"
	"encoding/binary"
	"runtime/debug"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

// newRoot returns the command that prints fields, with all other commands below it.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "uriscan [flags] [file or URI ...]",
		Short: "Print the parts of URIs, from lists, logs and text",
		Long: `Print the parts of URIs, from lists, logs and text. Without a file, or for "-",
read standard input. gzip and zstd are decompressed.`,
		Example: `  uriscan -f host,path urls.txt
  uriscan --log combined -f path,param.q --where 'path=/search*' access.log.gz
  uriscan top --log combined --uri referer --by host access.log`,
		Args:          cobra.ArbitraryArgs,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	shared := root.PersistentFlags()
	shared.SortFlags = false
	shared.AddFlagSet(a.reading.define())
	shared.AddFlagSet(a.defineShared())
	setWork(root, a.output.define(), func(cmd *cobra.Command, args []string) error {
		l, err := a.layout()
		if err != nil {
			return err
		}
		return a.do(cmd.Context(), args, a.rows(l, job{
			newSink: func(w *worker) sink { return newPrinter(w, l) },
		}))
	})
	root.Flags().BoolVar(&a.strict, "strict", false, "exit with status 1 if a URI is invalid")
	root.AddCommand(
		newTop(a), newStats(a), newCheck(a), newDiagram(a),
		newNormalize(a), newResolve(a), newRedact(a), newStrip(a), newUnique(a),
	)
	setHelp(root)
	setCompletions(root)
	for _, c := range root.Commands() {
		setCompletions(c)
	}
	return root
}

// defineShared defines the flags of every command that do not say what to read.
func (a *app) defineShared() *flagSet {
	f := newFlagSet()
	a.color.options = colorModes
	f.Var(&a.color, "color", "color the output: auto, always or never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print neither reports of invalid URIs nor a summary")
	return f
}

// setWork gives the command its flags and its work.
func setWork(cmd *cobra.Command, own *flagSet, do func(*cobra.Command, []string) error) {
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(own)
	cmd.RunE = do
}

// version returns the version of the module that the program was built from, or "(devel)" if it is not known.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = cmp.Or(info.Main.Version, v)
	}
	return v
}

// A printer prints records as rows.
type printer struct {
	*worker
	fields []field
	format format
}

// newPrinter returns a printer. If possible it is a copier.
func newPrinter(w *worker, l layout) sink {
	p := printer{w, l.fields, l.format}
	var components []uri.Component
	for _, f := range l.fields {
		if f.safe && f.isComponent {
			components = append(components, f.component)
		}
	}
	if l.format == (tsv{}) && len(components) == len(l.fields) && w.where == nil {
		return &copier{p, components}
	}
	return &p
}

func (p *printer) accept(r *record) { p.out = p.format.row(p.out, p.fields, r) }
func (p *printer) reject(r *record) { p.report(r) }

// A copier is a printer of rows of tsv in which every value is a component, verbatim. This is what most
// people want most of the time, so it has a loop of its own over lines that are URIs.
type copier struct {
	printer
	components []uri.Component
}

// wide is the number of bytes that a copier copies at once, whatever the length of the component: a copy
// whose length changes from line to line is hard to predict for the processor, and costs a fifth of the whole
// time.
const wide = 32

func (c *copier) scanLines() {
	w := c.worker
	data := w.block.data[:cap(w.block.data)] // what follows the block may be copied, and is then overwritten
	out, line, valid := w.out, w.record.line, 0
	for view, err := range w.lines.Scan(w.form, w.block.data, true) {
		line++
		text := w.lines.Text()
		if err != nil || len(text) > w.limit || len(out) >= outputSize {
			w.out, w.record.line = out, line
			w.takeLine(view, text, err)
			out = w.out
			continue
		}
		valid++
		offset := w.lines.Offset()
		for _, component := range c.components {
			start, end := view.Span(component)
			from, to, size := offset+start, len(out), end-start
			switch {
			case start < 0:
			case size <= wide && from+wide <= len(data) && to+wide <= cap(out):
				copyWide((*[wide]byte)(out[to:to+wide]), (*[wide]byte)(data[from:]))
				out = out[:to+size]
			default:
				out = append(out, text[start:end]...)
			}
			out = append(out, '\t')
		}
		out[len(out)-1] = '\n'
	}
	w.out, w.record.line = out, line
	w.read += line - w.block.before
	w.valid += valid
}

// copyWide copies in registers. An assignment of arrays, which may overlap, would call memmove.
func copyWide(dst, src *[wide]byte) {
	a, b := binary.LittleEndian.Uint64(src[:]), binary.LittleEndian.Uint64(src[8:])
	c, d := binary.LittleEndian.Uint64(src[16:]), binary.LittleEndian.Uint64(src[24:])
	binary.LittleEndian.PutUint64(dst[:], a)
	binary.LittleEndian.PutUint64(dst[8:], b)
	binary.LittleEndian.PutUint64(dst[16:], c)
	binary.LittleEndian.PutUint64(dst[24:], d)
}
