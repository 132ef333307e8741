export const keys = {
  scopes: {
    read: {
      name: "Lectura",
      allows: "Ve contactos, negocios, conversaciones, mensajes y plantillas. No cambia nada.",
    },
    write: {
      name: "Escritura",
      allows:
        "Crea y cambia contactos, negocios, embudos y conversaciones. También fusiona y borra contactos, lo que no se puede deshacer.",
    },
    messaging: {
      name: "Mensajes",
      allows: "Envía mensajes de WhatsApp en nombre de tu empresa: plantillas y respuestas.",
    },
  },

  expiries: {
    never: "Nunca",
    month: "En 30 días",
    quarter: "En 90 días",
    year: "En un año",
    date: "En un día a tu elección",
  },

  overlaps: {
    0: {
      name: "Deja de valer ahora",
      hint:
        "Cuando otra persona puede conocerla. Los programas que la usan son rechazados hasta tener la nueva.",
    },
    1: { name: "Vale 1 hora más", hint: "Cuando cambias el programa enseguida." },
    24: { name: "Vale 24 horas más", hint: "Cuando lo cambias hoy." },
    168: { name: "Vale 7 días más", hint: "Cuando otra persona tiene que cambiarlo." },
  },

  keys: {
    title: "Claves de API",
    lead:
      "Una clave deja que un programa trabaje con los datos de tu empresa. Da una a cada programa.",
    one: "Clave de API",
    create: "Crear una clave",
    make: "Crear clave",
    none: "Aún no hay claves. Crea la primera.",
    noneFound: "Ninguna clave tiene este nombre.",
    find: "Buscar una clave",
    ended: (count: number) => `Claves caducadas (${count})`,
    agents: (company: string) =>
      `Solo los propietarios y administradores de ${company} pueden administrar sus claves de API.`,
    whoMay: "Habla con una de estas personas:",
    name: "Nombre",
    nameHint: "¿Para qué sirve? Por ejemplo: tienda en línea.",
    nameMissing: "Da un nombre a la clave.",
    nameTooLong: "Un nombre tiene como máximo 100 caracteres.",
    scopes: "Permisos",
    scopesHint: "Elige solo lo que el programa necesita. Ninguno incluye otro.",
    scopesMissing: "Elige al menos un permiso.",
    expiry: "Caduca",
    lastDay: "Último día",
    dateMissing: "Elige un día en el futuro.",
    neverExpires: "nunca",
    lastUse: "Último uso",
    neverUsed: "nunca",
    createdBy: "Creada por",
    madeByPlatform: "quien administra este servicio",
    states: { active: "Activa", off: "Desactivada", expired: "Caducada" },
    ends: (when: string) => `Termina ${when}`,
    replacedBy: "Reemplazada por",
    replacing: "Reemplaza a",
    facts: "Sobre esta clave",
    key: "Clave",
    keyHint: "La clave completa se mostró una vez y no se puede mostrar de nuevo.",
    changes: "Cambiar",
    switchOn: "Activar",
    switchedOn: "La clave está activada de nuevo.",
    back: "Todas las claves",
    gone: "Esta clave no existe en esta empresa. Puede que se haya eliminado.",
    replacedBefore: "Esta clave ya se reemplazó. Vuelve a cargar la página y busca su sucesora.",
    maybeMade:
      "No hubo respuesta, así que no sabemos si la clave se creó. Mira la lista de claves: elimina la que no reconozcas y crea una nueva.",
  },

  once: {
    title: "Aquí está la clave nueva",
    lead:
      "Cópiala ahora y guárdala donde tu programa la lee. Nosotros no la guardamos: nadie puede mostrarla de nuevo.",
    theKey: "La clave nueva",
    copyKey: "Copiar la clave",
    stored: "Ya la he guardado",
    tryIt: "Pruébala",
    tryLead: "Pega una línea en un terminal. Contiene la clave: no se la enseñes a nadie.",
    readLine: "Leer un contacto",
    writeLine: "Crear un contacto llamado Test",
    sendLine: (template: string) => `Enviar la plantilla “${template}” a este número`,
    phone: "Tu número de WhatsApp",
    phoneHint: "Con + y el código del país. El mensaje se le envía de verdad.",
    phoneHintLocal:
      "Vale cualquier número: en esta máquina un sustituto de WhatsApp recibe el mensaje.",
    noTemplate:
      "Para enviar el primer mensaje, tu empresa necesita una cuenta de WhatsApp conectada con una plantilla aprobada. Aún no hay ninguna.",
    readOn: "Cómo usar la API",
    leaveTitle: "¿Has guardado la clave?",
    leaveText: "Cuando salgas, no se podrá mostrar de nuevo.",
    stay: "Volver a la clave",
    leave: "Está guardada, salir",
  },

  change: {
    rename: {
      button: "Renombrar",
      title: "Renombrar la clave",
      submit: "Renombrar",
      done: "La clave tiene su nombre nuevo.",
    },
    switchOff: {
      button: "Desactivar",
      title: "¿Desactivar la clave?",
      text: "Los programas que la usan se rechazan de inmediato, hasta que la actives de nuevo.",
      submit: "Desactivar",
      done: "La clave está desactivada.",
    },
    rotate: {
      button: "Reemplazar",
      title: "Reemplazar la clave",
      text:
        "Recibes una clave nueva con el mismo nombre y los mismos permisos. La antigua sigue el tiempo que elijas, para que el programa cambie sin pausa.",
      overlap: "La clave antigua",
      submit: "Crear la clave nueva",
    },
    delete: {
      button: "Eliminar",
      title: "¿Eliminar la clave?",
      text:
        "Los programas que la usan se rechazan de inmediato. No se puede deshacer: para probar antes, desactívala.",
      typeName: (name: string) => `Para confirmar, escribe: ${name}`,
      otherName: "Este no es el nombre de la clave. Escríbelo como está arriba.",
      submit: "Eliminar para siempre",
      done: "La clave se ha eliminado.",
    },
  },
};
