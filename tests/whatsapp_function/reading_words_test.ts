// The words by which a person ends messages, or has them again.
import assert from "node:assert/strict";
import { messageItem } from "./reading_events.ts";

const word = (body: string) => messageItem({ type: "text", text: { body } }).word;

Deno.test("a whole message that is a word ends messages, whatever its case, its accents and what stands around it", () => {
  for (
    const body of [
      "STOP",
      "stop",
      " Parar. ",
      "PARAR!!!",
      "“sair”",
      "¡Baja!",
      "Descadastrar 🙏",
      "unsubscribe\n",
      "Stop promotions",
      "stop  promotions.",
      "Parar promoções",
      "INTERROMPER PROMOCOES",
      "Detener promociones",
      "ＳＴＯＰ",
      "parar\u200b",
      "Päräŕ",
      "*PARAR*",
    ]
  ) assert.equal(word(body), "stop", body);
  for (const body of ["START", "voltar", "¡Alta!", " Start "]) {
    assert.equal(word(body), "start", body);
  }
});

Deno.test("a word within a message, and one that means something else, ends nothing", () => {
  for (
    const body of [
      "Pode parar na porta?",
      "CANCELAR",
      "cancelar",
      "não quero parar",
      "stop it",
      "parar parar",
      "bajar",
      "",
      "👍",
      "...",
      "1",
      "promotions",
      `stop${"!".repeat(200)}`,
    ]
  ) assert.equal(word(body), null, body);
});

Deno.test("the text of a button and the title of a reply count, and a caption does not", () => {
  const button = { text: "Parar promoções", payload: "x" };
  assert.equal(messageItem({ type: "button", button }).word, "stop");
  const interactive = { type: "button_reply", button_reply: { id: "1", title: "SAIR" } };
  assert.equal(messageItem({ type: "interactive", interactive }).word, "stop");
  const listReply = { type: "list_reply", list_reply: { id: "1", title: "Voltar" } };
  assert.equal(messageItem({ type: "interactive", interactive: listReply }).word, "start");
  assert.equal(messageItem({ type: "image", image: { id: "1", caption: "stop" } }).word, null);
  assert.equal(messageItem({ type: "order", order: { text: "stop" } }).word, null);
  assert.equal(messageItem({ type: "button", button: { text: "Ok", payload: "STOP" } }).word, null);
});
