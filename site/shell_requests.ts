// Reads the requests of a block of shell lines, so that the site can show them in other languages.

/** A part of a text: plain text, or the name of a variable whose value is inserted here. */
export type Part = string | { variable: string };
export type Text = Part[];

/** A request that the lines send, or a wait between two requests. */
export type Step = { waits: number } | Request;

export interface Request {
  method: string;
  /** The complete URL, including its variables. */
  url: Text;
  /** The parameters of `--data-urlencode`, which a program must encode. */
  query: [name: string, value: Text][];
  headers: [name: string, value: Text][];
  body: Text | null;
  /** The variable that stores a value from the response; null when there is no such variable. */
  into: string | null;
  /**
   * The paths of the value that the lines store or show, such as `data.id`. If the response has no
   * value at the first path, the next path is used. An empty list means the whole response.
   */
  values: string[];
  /** Whether the lines show the response, only its status, or nothing. */
  shows: "answer" | "status" | "nothing";
}

/** Lines that only prepare the shell. Programs in other languages do not need these lines. */
const PREPARES = /^(?:export |field\(\) \{.*\}$|next\(\) \{.*\}$|#|$)/;
const NAME = /^[A-Za-z_]\w*/;

/**
 * The requests of a block, in order.
 *
 * @returns null when the block does anything else, such as starting the stack.
 */
export function requestsOf(block: string): Step[] | null {
  try {
    const steps = commandsOf(block).filter((command) => !PREPARES.test(command)).map(stepOf);
    return steps.some((step) => "method" in step) ? steps : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** The method and the path of a request to the API, such as `GET /gateway/deals/{}`. */
export function nameOf({ method, url: [, ...parts] }: Request): string {
  const path = parts.map((part) => typeof part === "string" ? part : "{}").join("");
  return `${method} ${path.split("?")[0]}`;
}

class Unreadable extends Error {}

/** The commands of a block. A line break that is not between quotes ends a command. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let command = "", quote = "";
  for (let at = 0; at < block.length; at++) {
    const character = block[at];
    if (character === "\\" && quote !== "'") {
      const next = block[++at] ?? "";
      command += next === "\n" ? " " : character + next;
    } else if (character === "\n" && quote === "") {
      commands.push(command.trim());
      command = "";
    } else {
      if (quote === "" && (character === '"' || character === "'")) quote = character;
      else if (character === quote) quote = "";
      command += character;
    }
  }
  return [...commands, command.trim()];
}

function stepOf(command: string): Step {
  if (command.startsWith("sleep ")) return { waits: Number(command.slice(6)) };
  const name = NAME.exec(command)?.[0] ?? "";
  const isKept = command.startsWith(`${name}=$(`) && command.endsWith(")");
  const inside = isKept ? command.slice(name.length + 3, -1) : command;
  const words = wordsOf(inside);
  const pipe = words.findIndex((word) => word === "|");
  const request = requestOf(pipe < 0 ? words : words.slice(0, pipe));
  const values = pipe < 0 ? [] : valuesOf(words.slice(pipe + 1));
  if (isKept && values.length === 0) throw new Unreadable();
  return { ...request, into: isKept ? name : null, values };
}

/**
 * The values that `field '…'` or `next` extracts from a response. The pages define these two shell
 * functions.
 */
function valuesOf([command, expression]: (Text | "|")[]): string[] {
  if (plain(command) === "next") return ["pagination.next_cursor"];
  if (plain(command) !== "field") throw new Unreadable();
  const text = plain(expression).trim();
  // The translated program shows the whole response instead of some of its values.
  if (text.startsWith("JSON.stringify(")) return [];
  return text.split(" ?? ").map((value) => {
    const path = /^answer\.([\w.[\]?]+)$/.exec(value)?.[1];
    if (!path) throw new Unreadable();
    return path.replaceAll("?.", ".");
  });
}

function requestOf([command, ...words]: (Text | "|")[]): Omit<Request, "into" | "values"> {
  if (plain(command) !== "curl") throw new Unreadable();
  const request: Omit<Request, "into" | "values"> = {
    method: "",
    url: [],
    query: [],
    headers: [],
    body: null,
    shows: "answer",
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Text;
    const value = () => words[++at] as Text ?? [""];
    switch (typeof word[0] === "string" && word[0].startsWith("-") ? plain(word) : "") {
      case "-s":
      case "-g":
      case "-sg":
        break;
      case "--get":
        request.method = "GET";
        break;
      case "-X":
        request.method = plain(value());
        break;
      case "-o":
        value();
        request.shows = "nothing";
        break;
      case "-w":
        if (plain(value()) !== "%{http_code}") throw new Unreadable();
        request.shows = "status";
        break;
      case "-H":
        request.headers.push(divided(value(), ": "));
        break;
      case "-d":
        request.body = value();
        break;
      case "--data-urlencode":
        request.query.push(divided(value(), "="));
        break;
      case "":
        if (request.url.length > 0) throw new Unreadable();
        request.url = word;
        break;
      default:
        throw new Unreadable();
    }
  }
  // The translated program has the parameters in an object, in which each name occurs only once.
  const names = request.query.map(([name]) => name);
  const [start] = request.url;
  const isOurs = typeof start === "string"
    ? start.startsWith("http://127.0.0.1:")
    : start?.variable === "CRM_API_URL";
  if (new Set(names).size < names.length || !isOurs) throw new Unreadable();
  request.method ||= request.body ? "POST" : "GET";
  return request;
}

/** Splits a text at the first separator. */
function divided([first = "", ...rest]: Text, separator: string): [string, Text] {
  const at = typeof first === "string" ? first.indexOf(separator) : -1;
  if (typeof first !== "string" || at < 0) throw new Unreadable();
  const after = first.slice(at + separator.length);
  return [first.slice(0, at), after === "" ? rest : [after, ...rest]];
}

/** A text without variables. */
function plain(text: Text | "|" | undefined): string {
  if (!Array.isArray(text) || text.some((part) => typeof part !== "string")) throw new Unreadable();
  return text.join("");
}

/** Splits a command into words. A pipe is a separate word. */
function wordsOf(command: string): (Text | "|")[] {
  const words: (Text | "|")[] = [];
  let word: Text | null = null;
  let quote = "";
  const end = () => {
    if (!word) return;
    const parts = word.filter((part) => part !== "");
    words.push(parts.length > 0 ? parts : [""]);
    word = null;
  };
  const add = (text: string) => {
    word ??= [];
    if (typeof word.at(-1) === "string") word[word.length - 1] += text;
    else word.push(text);
  };
  for (let at = 0; at < command.length; at++) {
    const character = command[at];
    if (character === quote) quote = "";
    else if (quote === "'") add(character);
    else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      add("");
    } else if (character === "\\") add(command[++at] ?? "");
    else if (character === "$") {
      const name = NAME.exec(command.slice(at + 1, at + 40))?.[0];
      if (!name) throw new Unreadable();
      (word ??= []).push({ variable: name });
      at += name.length;
    } else if (quote === '"') add(character);
    else if (/\s/.test(character)) end();
    else if (/[|&;<>()`]/.test(character)) {
      if (character !== "|" || word || command[at + 1] === "|") throw new Unreadable();
      words.push("|");
    } else add(character);
  }
  if (quote !== "") throw new Unreadable();
  end();
  return words;
}
