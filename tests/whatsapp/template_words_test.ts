// Tests the messages that explain why a template cannot be sent.

import assert from "node:assert/strict";
import {
  type Fault,
  faultDetail,
  whyNotSendable,
} from "../../supabase/functions/_shared/templates/template_words.ts";

Deno.test("each validation error of a send names the field and describes the problem", () => {
  const since = "2026-11-22T05:30:00.123+00:00";
  const field = "template_name";
  const status = (status: string, at: string | null = since) =>
    ({ field, fault: "status", status, since: at }) as const;
  const paused = "is PAUSED at the channel because of its quality; a pause ends after 3 to 6 hours";
  const told: [Fault, string][] = [
    [{ field, fault: "unknown" }, "is not a template of the business account of this phone number"],
    [
      { field: "language_code", fault: "language", languages: ["pt_BR", "es"] },
      "is not a language of this template, which exists in pt_BR, es",
    ],
    [status("PAUSED"), `${paused}, at the latest at 2026-11-22T11:30:00+00:00`],
    [status("PAUSED", null), paused],
    [status("REJECTED"), "is REJECTED at the channel; change it there and have it approved"],
    [status("PENDING"), "is PENDING at the channel, which has not approved it yet"],
    [
      status("DISABLED"),
      "is DISABLED at the channel because of its quality; send another template",
    ],
    [status("DELETED"), "is DELETED at the channel; send another template"],
    [
      status("LIMIT_EXCEEDED"),
      "is LIMIT_EXCEEDED at the channel; only a template that is APPROVED can be sent",
    ],
    [
      { field, fault: "unsupported", parts: ["CAROUSEL", "FLOW", "HOLOGRAM"] },
      "has parts that this API cannot send: a carousel, a flow, HOLOGRAM",
    ],
    [
      { field, fault: "media", reason: "The sample is empty" },
      "can only be sent with your own file in header_media, because the channel does not have the " +
      "media of the template's header: The sample is empty",
    ],
    [{ field: "body_variables", fault: "count", takes: 3, got: 2 }, "takes 3 variables, got 2"],
    [{ field: "header_variables", fault: "count", takes: 1, got: 0 }, "takes 1 variable, got 0"],
    [{ field: "button_variables", fault: "count", takes: 0, got: 1 }, "takes no variables, got 1"],
    [{ field: "body_variables.1", fault: "empty" }, "must not be empty"],
    [
      { field: "header_variables.0", fault: "characters" },
      "must not contain a line break, a tab or more than four spaces in a row",
    ],
    [
      { field: "template_header_type", fault: "header", header: "IMAGE" },
      "contradicts the approved template's header, which is an image; send image or leave it out",
    ],
    ...["TEXT", null].map((header): [Fault, string] => [
      { field: "template_header_type", fault: "header", header },
      "must be left out: the approved template has no media header",
    ]),
  ];
  for (const [fault, message] of told) {
    assert.deepEqual(faultDetail(fault), { field: fault.field, message });
  }
});

const SENDABLE = {
  status: "APPROVED",
  status_since: "2026-11-22T05:30:00Z",
  unsupported: [],
  media_problem: null,
  phone_number_ids: ["1"],
};

Deno.test("an approved, complete template of a connected account can be sent", () => {
  assert.deepEqual(whyNotSendable(SENDABLE), []);
});

Deno.test("each reason why a template cannot be sent has its own error message", () => {
  const told = whyNotSendable({
    status: "PENDING",
    status_since: null,
    unsupported: ["LOCATION", "toString"],
    media_problem: "The sample is empty",
    phone_number_ids: [],
  });
  assert.deepEqual(told, [
    "The template is PENDING at the channel, which has not approved it yet",
    "The template has parts that this API cannot send: a location header, toString",
    "The media of the template's header could not be uploaded: The sample is empty",
    "No connected account belongs to the template's business account",
  ]);
});
