// Why a template cannot be sent, in the words that callers read.

import assert from "node:assert/strict";
import {
  type Fault,
  faultDetail,
  whyNotSendable,
} from "../../supabase/functions/_shared/whatsapp/template_words.ts";

Deno.test("each fault of a send names its field and says what is wrong", () => {
  const since = "2026-11-22T05:30:00.123+00:00";
  const told: [Fault, string][] = [
    [
      { field: "template_name", fault: "unknown" },
      "is not a template of the business account of this phone number",
    ],
    [
      { field: "language_code", fault: "language", languages: ["pt_BR", "es"] },
      "is not a language of this template, which exists in pt_BR, es",
    ],
    [
      { field: "template_name", fault: "status", status: "PAUSED", since },
      "is PAUSED at the channel for its quality; a pause ends by itself after 3 to 6 hours, at the latest at " +
      "2026-11-22T11:30:00Z",
    ],
    [
      { field: "template_name", fault: "status", status: "PAUSED", since: null },
      "is PAUSED at the channel for its quality; a pause ends by itself after 3 to 6 hours",
    ],
    [
      { field: "template_name", fault: "status", status: "REJECTED", since },
      "is REJECTED at the channel; change it there and have it approved",
    ],
    [
      { field: "template_name", fault: "status", status: "PENDING", since },
      "is PENDING at the channel, which has yet to approve it",
    ],
    [
      { field: "template_name", fault: "status", status: "DISABLED", since },
      "is DISABLED at the channel for its quality; send another template",
    ],
    [
      { field: "template_name", fault: "status", status: "DELETED", since },
      "is DELETED at the channel; send another template",
    ],
    [
      { field: "template_name", fault: "status", status: "LIMIT_EXCEEDED", since },
      "is LIMIT_EXCEEDED at the channel; only a template that is APPROVED can be sent",
    ],
    [
      { field: "template_name", fault: "unsupported", parts: ["CAROUSEL", "FLOW", "HOLOGRAM"] },
      "has what this API cannot send: a carousel, a flow, HOLOGRAM",
    ],
    [{ field: "body_variables", fault: "count", takes: 3, got: 2 }, "takes 3 variables, got 2"],
    [{ field: "header_variables", fault: "count", takes: 1, got: 0 }, "takes 1 variable, got 0"],
    [{ field: "button_variables", fault: "count", takes: 0, got: 1 }, "takes no variables, got 1"],
    [{ field: "body_variables.1", fault: "empty" }, "must not be empty"],
    [
      { field: "header_variables.0", fault: "characters" },
      "must not hold a line break, a tab or more than four spaces in a row",
    ],
    [
      { field: "template_header_type", fault: "header", header: "IMAGE" },
      "contradicts the approved template's header, which is an image: send image or leave it out",
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

Deno.test("a template that is approved, whole and connected can be sent", () => {
  assert.deepEqual(whyNotSendable(SENDABLE), []);
});

Deno.test("every reason against a template is told in a sentence of its own", () => {
  const told = whyNotSendable({
    status: "PENDING",
    status_since: null,
    unsupported: ["LOCATION", "toString"],
    media_problem: "The sample is empty",
    phone_number_ids: [],
  });
  assert.deepEqual(told, [
    "The template is PENDING at the channel, which has yet to approve it",
    "The template has what this API cannot send: a location header, toString",
    "The media of its header could not be uploaded: The sample is empty",
    "No connected account belongs to the template's business account",
  ]);
});
