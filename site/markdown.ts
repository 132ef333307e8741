import { Marked, type Tokens } from "marked";
import { anchorMaker } from "./anchors.ts";
import { codeBlock } from "./code_block.ts";
import { KNOWN_LANGUAGES } from "./highlight.ts";
import { escaped, textOf } from "./html.ts";
import { nameOf } from "./shell_requests.ts";

/** A heading of a page. */
export interface Heading {
  level: number;
  anchor: string;
  /** As HTML, without a link. */
  html: string;
  text: string;
}

/** A page in Markdown, converted to HTML. */
export interface Rendered {
  title: string;
  /** The purpose of the page: its first paragraph, as text. */
  description: string;
  html: string;
  headings: Heading[];
  /**
   * The operations that the page names between backticks or calls in an example, such as
   * `GET /deals/{}`. `heading` is the heading above the name or the example.
   */
  named: { text: string; heading: Heading }[];
}

/** The URL to which a link leads; null for a file of the repository that is not on the site. */
export type Resolve = (target: string) => string | null;

/**
 * Converts a page to HTML.
 * @param resolve returns the URL of each link on the site.
 * @param addressOf returns the URL of the operation that a text between backticks names; null for
 *   any other text.
 * @param refuse receives an error for each part that the site cannot show: HTML, an unknown
 *   language, a page without a title.
 */
export function rendered(
  markdown: string,
  resolve: Resolve,
  addressOf: (text: string) => string | null,
  refuse: (fault: string) => void,
): Rendered {
  const headings: Heading[] = [];
  const anchorOf = anchorMaker();
  const named: Rendered["named"] = [];
  let description = "";
  /** Whether the current text is within a link. A link cannot contain another link. */
  let isLinked = false;

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        // The whole heading is a link to itself.
        isLinked = true;
        const html = this.parser.parseInline(tokens);
        isLinked = false;
        const heading = { level: depth, anchor: anchorOf(text), html, text: textOf(html) };
        headings.push(heading);
        const isPlain = depth === 1 || html.includes("<a ");
        const inside = isPlain ? html : `<a href="#${heading.anchor}">${html}</a>`;
        return `<h${depth} id="${heading.anchor}">${inside}</h${depth}>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const html = this.parser.parseInline(tokens);
        description ||= textOf(html).replaceAll(/\s+/g, " ");
        return `<p>${html}</p>\n`;
      },
      code({ text, lang = "" }: Tokens.Code) {
        const block = codeBlock(text, lang);
        if (!block) {
          refuse(
            `a block of code is in "${lang}"; known languages are ${KNOWN_LANGUAGES.join(", ")}`,
          );
          return "";
        }
        for (const request of block.requests) {
          named.push({ text: nameOf(request), heading: headings.at(-1)! });
        }
        return `${block.html}\n`;
      },
      codespan({ text }: Tokens.Codespan) {
        const html = `<code>${escaped(text)}</code>`;
        const heading = headings.at(-1);
        const address = isLinked || !heading ? null : addressOf(text);
        if (address === null || !heading) return html;
        // Below a heading, only the first occurrence of an operation's name is a link.
        if (named.some((each) => each.text === text && each.heading === heading)) return html;
        named.push({ text, heading });
        return `<a href="${escaped(address)}">${html}</a>`;
      },
      link({ href, title, tokens }: Tokens.Link) {
        isLinked = true;
        const html = this.parser.parseInline(tokens);
        isLinked = false;
        const address = resolve(href);
        if (address === null) return html;
        const hint = title ? ` title="${escaped(title)}"` : "";
        return `<a href="${escaped(address)}"${hint}>${html}</a>`;
      },
      table({ header, rows }: Tokens.Table) {
        const cell = ({ text, tokens, align }: Tokens.TableCell, name?: "row" | "col") => {
          const [tag, scope] = name && text !== "" ? ["th", ` scope="${name}"`] : ["td", ""];
          const side = align ? ` class="${align}"` : "";
          return `<${tag}${scope}${side}>${this.parser.parseInline(tokens)}</${tag}>`;
        };
        // If the first column has an empty header, its cells name the rows.
        const namesRows = header[0].text === "";
        const lines = rows.map((row) => {
          const cells = row.map((each, at) =>
            cell(each, namesRows && at === 0 ? "row" : undefined)
          );
          return `<tr>${cells.join("")}</tr>\n`;
        });
        const names = header.map((each) => cell(each, "col"));
        const hasNames = header.some(({ text }) => text !== "");
        const head = hasNames ? `<thead>\n<tr>${names.join("")}</tr>\n</thead>\n` : "";
        const label = escaped(headings.at(-1)?.text ?? "Table");
        return `<div class="table" role="group" aria-label="${label}" tabindex="0"><table>\n` +
          `${head}<tbody>\n${lines.join("")}</tbody>\n</table></div>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        if (/^\s*<!--/.test(text)) return "";
        refuse(`${text.trim()} is HTML; write Markdown, or put it between backticks`);
        return "";
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = headings.find(({ level }) => level === 1)?.text ?? "";
  if (!title || !description) refuse("a page begins with a title and a paragraph");
  return { title, description, html, headings, named };
}
