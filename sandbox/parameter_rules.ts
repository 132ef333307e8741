// The rules for the components of a message. They follow from the components of its template.

import type { Fault } from "./graph_error.ts";
import type { MediaKind } from "./media.ts";
import type { SentComponent, SentParameter } from "./message_shape.ts";
import {
  type Button,
  type Component,
  filled,
  type ParameterFormat,
  variablesOf,
} from "./template_types.ts";

/**
 * Returns why the sender cannot send the file with this id as media of this kind; null when it can.
 */
export type MediaFault = (id: string, kind: MediaKind) => Fault | null;

type Faults = Generator<Fault, void>;
type Header = Extract<Component, { type: "HEADER" }>;
type SentButton = Extract<SentComponent, { type: "button" }>;
type SentCarousel = Extract<SentComponent, { type: "carousel" }>;

/** The maximum length of a header with its variables filled, in characters. */
const MAX_HEADER = 60;
/** The maximum length of a filled body, if the template has no other component. */
const MAX_LONE_BODY = 32_768;
/** The maximum length of a filled body, if the template has other components. */
const MAX_BODY = 1_024;
/** The maximum length of the text that a send adds to the end of a button's URL. */
const MAX_SUFFIX = 2_000;
/** The maximum length of the code that a button copies. */
const MAX_CODE = 20;

/** Reports invalid values for a template, in the order in which the channel checks them. */
export function* parameterFaults(
  { parameter_format, components }: { parameter_format: ParameterFormat; components: Component[] },
  sent: SentComponent[],
  mediaFault: MediaFault,
): Faults {
  const listed = <Type extends Component["type"]>(type: Type) =>
    components.find((each): each is Extract<Component, { type: Type }> => each.type === type);
  const parametersOf = (type: "header" | "body") =>
    sent.find((each): each is Extract<SentComponent, { type: "header" | "body" }> =>
      each.type === type
    )?.parameters ?? [];

  yield* headerFaults(listed("HEADER"), parametersOf("header"), parameter_format, mediaFault);
  const limit = components.length === 1 ? MAX_LONE_BODY : MAX_BODY;
  const text = listed("BODY")?.text ?? "";
  yield* textFaults("body", text, parametersOf("body"), parameter_format, limit);
  const sentButtons = sent.filter((each): each is SentButton => each.type === "button");
  yield* buttonFaults(listed("BUTTONS")?.buttons ?? [], sentButtons);
  const carousel = sent.find((each): each is SentCarousel => each.type === "carousel");
  yield* carouselFaults(listed("CAROUSEL")?.cards, carousel?.cards, mediaFault);
}

function* headerFaults(
  header: Header | undefined,
  parameters: SentParameter[],
  format: ParameterFormat,
  mediaFault: MediaFault,
): Faults {
  if (!header || header.format === "TEXT") {
    yield* textFaults("header", header?.text ?? "", parameters, format, MAX_HEADER);
    return;
  }
  const [parameter, ...more] = parameters;
  const received = parameter?.type.toUpperCase() ?? "UNKNOWN";
  if (received !== header.format) {
    yield mismatch(`header: Format mismatch, expected ${header.format}, received ${received}`);
  }
  if (more.length > 0) yield mismatch("header: it takes one parameter");
  if (parameter?.type === "image") yield* mediumFaults(parameter.image, "image", mediaFault);
  if (parameter?.type === "video") yield* mediumFaults(parameter.video, "video", mediaFault);
  if (parameter?.type === "document") {
    yield* mediumFaults(parameter.document, "document", mediaFault);
  }
}

function* mediumFaults(
  medium: { id?: unknown; link?: unknown },
  kind: MediaKind,
  mediaFault: MediaFault,
): Faults {
  if (typeof medium.link === "string" && /\/sandbox\/v[^/]+\/samples\//.test(medium.link)) {
    // The sample's signed URL is meant for programs that list templates. If a message contains this
    // URL, the channel gets a 403 when it fetches the file.
    const details = "Downloading media from weblink failed with http code 403";
    yield { code: 131053, details };
  }
  if (typeof medium.id !== "string") return;
  const fault = mediaFault(medium.id, kind);
  if (fault) yield fault;
}

/** @param maxLength the maximum length of the text with its variables filled, in characters. */
function* textFaults(
  where: "header" | "body",
  text: string,
  parameters: SentParameter[],
  format: ParameterFormat,
  maxLength: number,
): Faults {
  const variables = variablesOf(text);
  const received = parameters.find(({ type }) => type !== "text")?.type.toUpperCase();
  if (received) yield mismatch(`${where}: Format mismatch, expected TEXT, received ${received}`);
  if (parameters.length !== variables.length) {
    const [got, takes] = [parameters.length, variables.length];
    yield {
      code: 132000,
      details: `${where}: number of localizable_params (${got}) does not match the expected ` +
        `number of params (${takes})`,
    };
  }
  const values: Record<string, string> = {};
  for (const [at, parameter] of parameters.entries()) {
    if (parameter.type !== "text") return;
    const { text, parameter_name } = parameter;
    const name = format === "NAMED" ? parameter_name : `${at + 1}`;
    if (format === "POSITIONAL" && parameter_name !== undefined) {
      yield mismatch(`${where}: the template has no named parameters`);
    }
    if (!name) {
      yield { code: 131008, details: `${where}: Parameter name is missing or empty` };
      return;
    }
    if (!variables.includes(name) || Object.hasOwn(values, name)) {
      yield mismatch(`${where}: Parameter name ${name} is unknown or given twice`);
    }
    yield* valueFaults(where, text);
    values[name] = text;
  }
  if (parameters.length > 0 && [...filled(text, values)].length > maxLength) {
    yield {
      code: 132005,
      details: `${where}: Translated text has at most ${maxLength} characters`,
    };
  }
}

/**
 * Reports what the channel never allows in a value: an empty text, line breaks, tabs, or more than
 * four spaces in a row.
 */
function* valueFaults(where: string, text: string): Faults {
  if (text === "") yield { code: 132018, details: `${where}: Param text cannot be empty` };
  if (/[\n\r\t]| {5}/.test(text)) {
    const details =
      "Param text cannot have new-line/tab characters or more than 4 consecutive spaces";
    yield { code: 132018, details: `${where}: ${details}` };
  }
}

/**
 * What a send must give for each type of button: the `sub_type` and the type of the parameter. Null
 * for a button without a parameter.
 */
const GIVEN: Record<Button["type"], { sub_type: string; parameter: SentParameter["type"] } | null> =
  {
    URL: { sub_type: "url", parameter: "text" },
    OTP: { sub_type: "url", parameter: "text" },
    COPY_CODE: { sub_type: "copy_code", parameter: "coupon_code" },
    QUICK_REPLY: { sub_type: "quick_reply", parameter: "payload" },
    PHONE_NUMBER: null,
  };

function* buttonFaults(buttons: Button[], sent: SentButton[]): Faults {
  for (const [index, button] of buttons.entries()) {
    const needsOne = button.type === "OTP" || button.type === "COPY_CODE" ||
      (button.type === "URL" && variablesOf(button.url).length > 0);
    if (needsOne && !sent.some((each) => Number(each.index) === index)) {
      const details = `${nameOf(index, button)} requires a parameter`;
      yield { code: 131008, details };
    }
  }
  for (const { index, sub_type, parameters: [parameter] } of sent) {
    const button = buttons.at(Number(index));
    if (!button) {
      yield mismatch(`buttons: The template has no button at index ${index}`);
      return;
    }
    const given = GIVEN[button.type];
    const isStatic = button.type === "URL" && variablesOf(button.url).length === 0;
    if (!given || isStatic) {
      yield mismatch(`${nameOf(Number(index), button)} does not require a parameter`);
    }
    if (sub_type !== given?.sub_type || parameter.type !== given.parameter) {
      const received = `${sub_type} with ${parameter.type}`;
      yield mismatch(`${nameOf(Number(index), button)}: Format mismatch, received ${received}`);
    }
    if (parameter.type === "payload") continue;
    const [text, limit] = parameter.type === "text"
      ? [parameter.text, MAX_SUFFIX]
      : parameter.type === "coupon_code"
      ? [parameter.coupon_code, MAX_CODE]
      : ["", 0];
    yield* valueFaults("buttons", text);
    if ([...text].length > limit) {
      yield { code: 132018, details: `buttons: Param text has at most ${limit} characters` };
    }
  }
}

function nameOf(index: number, { type }: Button): string {
  const name = type[0] + type.slice(1).toLowerCase();
  return `buttons: Button at index ${index} of type ${name}`;
}

function* carouselFaults(
  cards: { components: Component[] }[] | undefined,
  sent: SentCarousel["cards"] | undefined,
  mediaFault: MediaFault,
): Faults {
  if (!cards) {
    if (sent) yield mismatch("carousel: The template has no carousel");
    return;
  }
  if (!sent) {
    yield { code: 131008, details: "carousel: The template requires its cards" };
    return;
  }
  const order = sent.map(({ card_index }) => card_index).join();
  if (order !== [...cards.keys()].join()) {
    yield mismatch(`carousel: The template has the cards ${[...cards.keys()].join(", ")}`);
    return;
  }
  for (const [at, { components }] of cards.entries()) {
    const card = { parameter_format: "POSITIONAL" as const, components };
    yield* parameterFaults(card, sent[at].components, mediaFault);
  }
}

function mismatch(details: string): Fault {
  return { code: 132012, details };
}
