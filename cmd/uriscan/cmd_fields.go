package main

import (
	"cmp"
	"runtime/debug"

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
	setRows(a, root, a.output.define(), func(cmd *cobra.Command, args []string) error {
		l, err := a.layout()
		if err != nil {
			return err
		}
		return a.do(cmd.Context(), args, a.rows(l, job{
			newSink: func(w *worker) sink { return &printer{w, l.fields, l.format} },
		}))
	})
	root.Flags().BoolVar(&a.strict, "strict", false, "exit with status 1 if a URI is invalid")
	root.AddCommand(
		newTop(a), newStats(a), newCheck(a), newDiagram(a),
		newNormalize(a), newResolve(a), newRedact(a), newStrip(a), newUnique(a),
	)
	setHelp(root)
	return root
}

// defineShared defines the flags of every command that do not say what to read.
func (a *app) defineShared() *flagSet {
	f := newFlagSet()
	a.color.options = colorModes
	f.Var(&a.color, "color", "color the output: auto, always or never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print no reports of invalid URIs, and no summary")
	return f
}

// setRows makes the command one that takes the flags and does the work.
func setRows(_ *app, cmd *cobra.Command, own *flagSet, do func(*cobra.Command, []string) error) {
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

func (p *printer) accept(r *record) { p.out = p.format.row(p.out, p.fields, r) }
func (p *printer) reject(r *record) { p.report(r) }
