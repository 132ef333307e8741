import { readPage } from "./pages.ts";

/** A section of docs/errors.md. */
export interface Section {
  code: string;
  status: number;
  text: string;
  /** The error body that the section shows. */
  example: Record<string, unknown>;
}

const CODE = /^[a-z]+(_[a-z]+)*$/;

/**
 * The sections of docs/errors.md: first the codes that callers receive, then the other sections.
 */
export async function errorSections(): Promise<
  { sections: Section[]; ofOperators: Omit<Section, "example">[] }
> {
  const { text } = await readPage("docs/errors.md");
  const sectionsOf = (mark: string, status: RegExp) =>
    text.split(new RegExp(`^${mark} `, "m")).slice(1).map((section) => {
      const [heading] = section.split("\n", 1);
      const ofThis = section.split(/^## /m)[0];
      return { code: heading, status: Number(status.exec(ofThis)?.[1]), text: ofThis };
    }).filter(({ code }) => CODE.test(code));
  const sections = sectionsOf("##", /^- \*\*Status:\*\* (\d+)$/m).map((section) => {
    const [, shown = "null"] = /^```json\n([^]*?)^```$/m.exec(section.text) ?? [];
    return { ...section, example: JSON.parse(shown) };
  });
  return { sections, ofOperators: sectionsOf("###", /^(\d+)\./m) };
}
