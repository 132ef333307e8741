import type { WebhookFormTexts } from "../en/webhook_form.ts";

export const webhookForm: WebhookFormTexts = {
  newLead:
    "Desde que lo creas, tu programa recibe cada evento que elijas aquí. Antes revisamos la dirección.",
  save: "Guardar",
  saved: "Guardado.",
  checking: "Revisando la dirección…",
  urlHint: "Una dirección de tu programa que empiece con https://.",
  urlMissing: "Ingresa una dirección completa, como https://tienda.example.com/webhooks.",
  typesHint: "Elige grupos completos, o abre un grupo para elegir eventos sueltos.",
  typesMissing: "Elige al menos un evento.",
  everythingHint: "Todos los eventos, también los tipos que se agreguen después.",
  onlySome: "Solo algunos",
  someChosen: (count) => count === 1 ? "1 evento" : `${count} eventos`,
  resourceHints: {
    contact: "Se agregan, cambian o unen personas, o alguien no quiere mensajes.",
    deal: "Se abren, mueven, ganan o pierden negocios.",
    conversation: "Empiezan conversaciones, pasan a un colega y terminan.",
    message: "Las personas escriben, y los mensajes se entregan y se leen.",
    send: "WhatsApp aceptó un mensaje tuyo, o el mensaje falló.",
    template: "WhatsApp aprobó, rechazó o pausó una plantilla.",
    account: "WhatsApp restringe un número, o levanta la restricción.",
    webhook: "Otro webhook se desactivó, o este se prueba.",
  },
  descriptionHint: "Para que tus colegas sepan qué programa es, por ejemplo “Tienda en línea”.",
  description: "Descripción (opcional)",
  maybeMade:
    "No llegó respuesta, así que el webhook puede existir aunque no hayas visto su secreto. Mira la lista: elimínalo ahí, o dale un secreto nuevo.",
  addressFault: (words) => `El servicio no acepta esta dirección (en inglés): it ${words}.`,
  addressFaults: {
    notHttps: "La dirección debe empezar con https://, para que nadie pueda leer lo que se envía.",
    port: "Solo se admiten los puertos 443 y 8443. Quita el puerto.",
    user: "La dirección no puede tener usuario ni contraseña. Pon un secreto en la ruta.",
    fragment: "Quita la parte después de #, que ninguna solicitud lleva.",
    numeric: "Usa un nombre de dominio en lugar del número.",
    hostName: "Usa un nombre de dominio completo, como hooks.example.com.",
    noDns: "Este dominio no tiene ninguna dirección. Revisa cómo está escrito y sus registros DNS.",
    nameServer:
      "El servidor de nombres de este dominio no respondió. Inténtalo otra vez, o revisa el dominio.",
    notPublic: "Esta dirección no está en la internet pública, así que no podemos llegar a ella.",
    ownHost: "Es una dirección de este servicio. Usa una dirección de tu propio programa.",
  },
  payloadHints: {
    full:
      "La solicitud lleva el contacto, el negocio o el mensaje tal como está en ese momento. Tu programa no necesita preguntar.",
    ids: "No salen datos personales. Tu programa le pide a la API lo que necesita.",
  },
};
