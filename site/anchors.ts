/** Creates the anchors of one page's headings, as repository hosts such as GitHub do. */
export function anchorMaker(): (heading: string) => string {
  const times = new Map<string, number>();
  return (heading) => {
    const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = words.trim().replaceAll(" ", "-");
    const earlier = times.get(anchor) ?? 0;
    times.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  };
}
