import type { OptOutsTexts } from "../en/opt_outs.ts";

export const optOuts: OptOutsTexts = {
  title: "Bajas",
  lead:
    "Estas personas pidieron no recibir mensajes, o no recibir marketing. Ningún programa ni agente puede enviarles esos mensajes.",
  search: "Buscar una persona",
  searchHint: "Nombre o teléfono",
  every: "Todas",
  state: "Mostrar",
  counts: "Vigentes",
  lifted: "Anuladas",
  person: "Persona",
  wish: "Pidió",
  how: "Cómo",
  since: "Desde",
  change: "Cambiar",
  kinds: { do_not_contact: "Ningún mensaje", marketing_opt_out: "Sin marketing" },
  sources: {
    manual: "La marcó tu empresa",
    word: "Escribió una palabra de baja",
    button: "Tocó un botón",
    preference: "Lo eligió en WhatsApp",
    status: "WhatsApp rechazó el marketing para esta persona",
  },
  wrote: "Escribió",
  tapped: "Tocó",
  none: "Nadie se dio de baja",
  noneWhy:
    "Cuando una persona escribe una palabra de baja o toca un botón de baja, aparece aquí con sus palabras y la hora.",
  noneExample: "Por ejemplo: Ana Souza escribió “BAJA” el 3 de marzo a las 14:05.",
  noneFound: "Ninguna baja coincide",
  noneFoundWhy: "Prueba con una parte del nombre o del teléfono, o quita los filtros.",
  noneLifted: "No se anuló ninguna baja",
  noneLiftedWhy: "Cuando alguien de tu empresa anula una baja, el motivo aparece aquí.",
  lift: "Anular",
  liftOf: (person) => `Anular la baja de ${person}`,
  liftedBy: "Anulada por",
  someone: "Un miembro de la empresa",
  nameless: "esta persona",
  erased: "Borrado junto con la persona",
  question: (person) => `¿Anular la baja de ${person}?`,
  meaning: {
    do_not_contact:
      "Los programas y agentes de tu empresa podrán volver a enviar mensajes a esta persona.",
    marketing_opt_out:
      "Los programas de tu empresa podrán volver a enviar plantillas de marketing a esta persona.",
  },
  askedThemselves:
    "La persona lo pidió. Anula la baja solo si te dijo que quiere volver a recibir mensajes.",
  reason: "Motivo",
  reasonHint:
    "Por ejemplo: pidió novedades en la tienda el 3 de marzo. Tu empresa guarda el motivo.",
  reasonMissing: "Escribe por qué anulas la baja.",
  isLifted: (person) => `La baja de ${person} quedó anulada.`,
};
