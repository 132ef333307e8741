/** Escapes a string for HTML, between tags or in an attribute. */
export function escaped(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]);
}

/** The text content of HTML that this site generated. */
export function textOf(html: string): string {
  const characters: Record<string, string> = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&#x27;": "'",
  };
  return html.replaceAll(/<[^>]*>/g, "").replaceAll(
    /&(amp|lt|gt|quot|#39|#x27);/g,
    (entity) => characters[entity],
  );
}
