# Of scripts/site: HTML from lowdown, with links to pages instead of documents, and with the names of headings
# that the documents' links use. Files that it links are written to `linked`, from the tree's root on.
BEGIN { here = from; if (!sub(/\/[^\/]*$/, "", here)) here = "" }

# path FOLDER RELATIVE: without . and .. in it
function path(folder, relative, whole, parts, n, i, out) {
    n = split((folder == "" ? "" : folder "/") relative, parts, "/")
    whole = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == ".." && whole > 0) whole--
        else if (parts[i] != "." && parts[i] != "") out[++whole] = parts[i]
    }
    relative = ""
    for (i = 1; i <= whole; i++) relative = relative (i > 1 ? "/" : "") out[i]
    return relative
}
function exists(file, line) { return (getline line <file) >= 0 && close(file) == 0 }

# The way to the page of a document; of a folder, to its README.
function target(link, heading, name) {
    if (link ~ /^(https?:|mailto:|#)/) return link
    heading = ""
    if (match(link, /#.*/)) {
        heading = substr(link, RSTART)
        link = substr(link, 1, RSTART - 1)
    }
    if (link !~ /\.md$/) {
        name = path(here, link)
        if (exists(name "/README.md")) link = link (link ~ /\/$/ ? "" : "/") "README.md"
        else print name >>linked
    }
    sub(/(^|\/)README\.md$/, "&\n", link)
    sub(/README\.md\n$/, "index.html", link)
    sub(/\.md$/, ".html", link)
    return link heading
}

/^<h[1-6] / {
    text = $0
    gsub(/<[^>]*>|&[a-z#0-9]+;/, "", text)
    text = tolower(text)
    gsub(/ /, "-", text)
    gsub(/[^a-z0-9_-]/, "", text)
    sub(/ id="[^"]*"/, " id=\"" text "\"")
}
{
    rest = $0
    line = ""
    while (match(rest, /(href|src)="[^"]*"/)) {
        word = substr(rest, RSTART, RLENGTH)
        line = line substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        kind = word
        sub(/=.*/, "", kind)
        link = substr(word, length(kind) + 3, length(word) - length(kind) - 3)
        line = line kind "=\"" target(link) "\""
    }
    print line rest
}
