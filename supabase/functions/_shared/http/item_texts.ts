/** What JSON is made of, but for white space, numbers and literals. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;

/** The texts of the items of a batch, and the text of its body without them. */
export interface ItemTexts {
  items: string[];
  /** The same object with an empty list in place of each list `items`. */
  rest: string;
}

/** Cuts the JSON text of an object into the texts of its `items`, where that is a list. */
export function itemTexts(json: string): ItemTexts {
  const items: string[] = [];
  let rest = "";
  let restFrom = 0;
  let depth = 0;
  let isWithin = false;
  /** The latest text at the top of the object, which is a key when a colon follows. */
  let [text, key, from] = ["", "", 0];
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === "[" || token === "{") {
      if (++depth !== 2 || token === "{" || key !== "items") continue;
      isWithin = true;
      from = index + 1;
      rest += json.slice(restFrom, from);
    } else if (token === "]" || token === "}") {
      if (--depth !== 1 || !isWithin) continue;
      isWithin = false;
      const last = json.slice(from, index);
      if (items.length > 0 || last.trim() !== "") items.push(last);
      restFrom = index;
    } else if (token === "," && depth === 2 && isWithin) {
      items.push(json.slice(from, index));
      from = index + 1;
    } else if (depth === 1 && token === ":") key = JSON.parse(text);
    else if (depth === 1 && token === ",") key = "";
    else if (depth === 1) text = token;
  }
  return { items, rest: rest + json.slice(restFrom) };
}
