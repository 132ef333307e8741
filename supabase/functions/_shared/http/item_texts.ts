import { tokensIn } from "./json_tokens.ts";

/** The JSON of each batch item, and the JSON of the body without its items. */
export interface ItemTexts {
  items: string[];
  /** The JSON of the body with an empty list in place of each `items` list. */
  rest: string;
}

/**
 * Splits the JSON of an object into its `items` and the rest. If `items` is not a list, the rest is
 * the whole object.
 */
export function itemTexts(json: string): ItemTexts {
  const items: string[] = [];
  let rest = "";
  let restFrom = 0;
  let depth = 0;
  let isWithin = false;
  /**
   * `text` is the latest string at the top level of the object. If a colon follows, the string is a
   * key.
   */
  let [text, key, from] = ["", "", 0];
  for (const { text: token, index } of tokensIn(json)) {
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
