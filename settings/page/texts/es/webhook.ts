import type { WebhookTexts } from "../en/webhook.ts";

export const webhook: WebhookTexts = {
  back: "Todos los webhooks",
  facts: "Sobre este webhook",
  previousSecret: "Secreto anterior",
  worksUntil: (when) => `también firma hasta el ${when}`,
  belongsTo: "Pertenece a",
  company: "La empresa.",
  madeBy: (name) => `Creado por ${name}.`,
  key: "La clave de API",
  endsWithKey: "Termina con esta clave, salvo que la clave se reemplace.",
  createdAt: "Creado",

  once: {
    title: "El secreto se muestra solo ahora",
    lead:
      "Con él, tu programa comprueba que una solicitud viene de verdad de nosotros. Lo guardamos cifrado, y nadie puede verlo de nuevo.",
    theSecret: "El secreto",
    copy: "Copiar el secreto",
    store: "Cópialo y guárdalo donde tu programa lo lee.",
    verify: "Haz que tu programa compruebe la firma de cada solicitud antes de usar el contenido.",
    guide: "Cómo se comprueba",
    test: "Después pulsa “Enviar un evento de prueba” más abajo.",
    stored: "Ya lo guardé",
    leaveTitle: "¿Ya guardaste el secreto?",
    leaveText:
      "No se muestra de nuevo. Sin él, tu programa no puede comprobar las solicitudes, y tendrás que crear un secreto nuevo.",
    stay: "Volver al secreto",
    leave: "Ya lo guardé, salir",
  },
  maybeRotated:
    "No llegó respuesta, así que el webhook quizás ya tiene un secreto nuevo que no has visto. Crea otro.",

  todo: {
    trying: "Repara el receptor. Lo que espera se entrega en cuanto vuelva a aceptar solicitudes.",
    failing:
      "Repara el receptor y activa el webhook. Puedes pedirnos que entreguemos lo que no recibió.",
    gone: "Ingresa la dirección nueva y activa el webhook. O elimínalo.",
    key_ended:
      "Asegúrate de que el webhook todavía se necesita y de que su dirección es tuya. Si lo activas, pertenece a la empresa y ya no a una clave.",
    off: "Actívalo cuando el receptor esté listo.",
  },
  switchOn: "Activar",
  pause: "Pausar",
  rotate: "Secreto nuevo",
  replay: "Entregar otra vez…",
  delete: "Eliminar",
  changesTitle: "Cambios",
  changes: {
    rotate: {
      title: "Crear un secreto nuevo",
      text:
        "Durante el cambio, las solicitudes llevan dos firmas: una con el secreto anterior y otra con el nuevo. Así tu programa puede cambiar sin interrupción.",
      submit: "Crear un secreto nuevo",
    },
    pause: {
      title: "¿Pausar este webhook?",
      text:
        "No se entrega nada hasta que lo actives de nuevo. Los eventos esperan hasta entonces. Si son muchísimos, se entregan desde el registro, que guarda 30 días.",
      submit: "Pausar",
      done: "El webhook está en pausa.",
    },
    switchOn: {
      title: "Activar el webhook",
      text: "Desde ahora se entregan eventos de nuevo.",
      submit: "Activar",
      done: "El webhook está activo.",
    },
    replay: {
      title: "Entregar eventos otra vez",
      text:
        "Todos los eventos de ese tiempo se entregan una vez más, también los que el receptor ya tiene. Llevan los mismos ids, así un programa puede omitir lo que conoce.",
      submit: "Entregar otra vez",
      done: "Los eventos se entregarán otra vez en los próximos minutos.",
    },
    delete: {
      title: "¿Eliminar este webhook?",
      text:
        "Ya no se entrega nada a esta dirección, y su registro desaparece. Lo que espera se pierde para este receptor. Si no estás seguro, ponlo en pausa.",
      submit: "Eliminar",
      done: "El webhook está eliminado.",
    },
  },
  overlap: "¿Cuánto tiempo sirve también el secreto anterior?",
  overlaps: {
    0: "Anularlo ya, porque otra persona podría conocerlo",
    24: "24 horas",
    168: "7 días",
  },
  alsoMissed: (when) => `Entregar también lo que no recibió; se desactivó el ${when}`,
  since: "¿Desde cuándo?",
  periods: {
    1: "La última hora",
    24: "Las últimas 24 horas",
    168: "Los últimos 7 días",
    719: "Los 30 días completos",
  },
  replayTypes: "Qué eventos",
  allItsTypes: "Todos los que recibe este webhook",
};
