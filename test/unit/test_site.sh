#!/usr/bin/env bash
# make site: each document has a page, all links inside lead to files and headings that are there, and no page
# wants anything of a network.
. "$(dirname "$0")/../support/lib.sh"
for program in lowdown mandoc; do
    command -v $program >/dev/null || { skip "the site" "no $program"; done_testing; }
done
unset MAKEFLAGS MAKELEVEL
make -s -C "$root" site SITE="$tmp/site" >"$tmp/out" 2>&1
ok "make site" $?

cat >"$tmp/check.py" <<'END'
import html.parser, os, sys, urllib.parse

class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.wants, self.title = set(), [], [], False
        self.feed(open(path, encoding='utf-8').read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.update(v for k, v in attributes if k == 'id' or (tag == 'a' and k == 'name'))
        self.links += [v for k, v in attributes if k in ('href', 'src')]
        # A link may lead anywhere; pictures, styles and programs are the site's own.
        self.wants += [values[k] for k in ('href', 'src') if tag != 'a' and k in values]
        self.title = self.title or tag == 'h1'

site = sys.argv[1]
pages = {}
for folder, _, files in os.walk(site):
    for file in files:
        path = os.path.normpath(os.path.join(folder, file))
        pages[path] = Page(path) if file.endswith('.html') else None
links = 0
for path, page in pages.items():
    if page is None:
        continue
    name = os.path.relpath(path, site)
    if not page.title and not name.startswith('man/'):
        print(f'{name} has no heading')
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.wants:
                print(f'{name} wants {link}, which is not of the site')
            continue
        links += 1
        target = path
        if parts.path:
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
        if target not in pages:
            print(f'{name} links {link}, which is not there')
        elif parts.fragment and parts.fragment not in getattr(pages[target], 'names', ()):
            print(f'{name} links {link}, and the page has no such heading')
print(f'{links} links', file=sys.stderr)
END
python3 "$tmp/check.py" "$tmp/site" >"$tmp/out" 2>"$tmp/links" && [ ! -s "$tmp/out" ]
ok "links lead to files and headings of the site" $?
[ "$(sed 's/ links//' "$tmp/links")" -gt 500 ]
ok "and there are hundreds of them" $?

cd "$root" || exit 1
documents=$(git ls-files '*.md' 2>/dev/null)
[ -n "$documents" ] || documents=$(find . -name '*.md' ! -path './build/*')
for document in $documents; do
    page=$tmp/site/$(sed -E 's/(^|\/)README\.md$/\1index.html/; s/\.md$/.html/' <<<"$document")
    grep -q '<h1' "$page" 2>/dev/null || echo "$document has no page"
done >"$tmp/out"
for page in "$tmp"/site/man/{plbrun.1,plbrun-mpirun.1,plbrun-npz.1,plb_kernel.7}.html; do
    grep -q 'NAME' "$page" || echo "there is no $page"
done >>"$tmp/out"
[ ! -s "$tmp/out" ]
ok "each document and each manual page has a page" $?
cmp docs/run.svg "$tmp/site/docs/run.svg" >"$tmp/out" 2>&1 &&
    grep -q 'src="docs/run.svg"' "$tmp/site/index.html"
ok "the README is the front page, with its picture" $?
done_testing
