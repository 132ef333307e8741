// Tests the stop words, which stop messages to a contact, and the start words, which allow messages
// again.
import assert from "node:assert/strict";
import { messageItem } from "./reading_events.ts";

const word = (body: string) => messageItem({ type: "text", text: { body } }).word;

Deno.test("a message with only a stop word stops messages, regardless of case, accents and punctuation", () => {
  for (
    const body of [
      ...["STOP", "stop", " Parar. ", "PARAR!!!", "“sair”", "¡Baja!", "Descadastrar 🙏"],
      ...["unsubscribe\n", "ＳＴＯＰ", "parar\u200b", "Päräŕ", "*PARAR*"],
    ]
  ) assert.equal(word(body), "stop", body);
  for (const body of ["START", "voltar", "¡Alta!", " Start "]) {
    assert.equal(word(body), "start", body);
  }
});

Deno.test("a message that asks to stop promotions stops only promotions", () => {
  for (
    const body of [
      ...["Stop promotions", "stop  promotions.", "Parar promoções", "INTERROMPER PROMOCOES"],
      "Detener promociones",
    ]
  ) assert.equal(word(body), "stop_promotions", body);
});

Deno.test("a longer message that contains a stop word, or a similar word, stops nothing", () => {
  const others = [
    ...["Pode parar na porta?", "CANCELAR", "cancelar", "não quero parar", "stop it", "bajar"],
    ...["parar parar", "", "👍", "...", "1", "promotions", `stop${"!".repeat(200)}`],
  ];
  for (const body of others) assert.equal(word(body), null, body);
});

Deno.test("a stop word counts in a button's text and in a reply's title, but not in a caption", () => {
  const button = { text: "Parar promoções", payload: "x" };
  assert.equal(messageItem({ type: "button", button }).word, "stop_promotions");
  const interactive = { type: "button_reply", button_reply: { id: "1", title: "SAIR" } };
  assert.equal(messageItem({ type: "interactive", interactive }).word, "stop");
  const listReply = { type: "list_reply", list_reply: { id: "1", title: "Voltar" } };
  assert.equal(messageItem({ type: "interactive", interactive: listReply }).word, "start");
  assert.equal(messageItem({ type: "image", image: { id: "1", caption: "stop" } }).word, null);
  assert.equal(messageItem({ type: "order", order: { text: "stop" } }).word, null);
  assert.equal(messageItem({ type: "button", button: { text: "Ok", payload: "STOP" } }).word, null);
});
