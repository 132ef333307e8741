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
    webhooks: {
      name: "Webhooks",
      allows:
        "Envía a otra dirección lo que pasa en tu empresa, también cuando el programa ya terminó. Solo para programas que configuran webhooks: por ellos sale todo lo que muestra la lectura.",
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
      name: "Deja de funcionar ahora",
      hint:
        "Si otra persona puede conocerla. Los programas que la usan dejan de tener acceso hasta que tengan la nueva. Los webhooks que creó se desactivan.",
    },
    1: { name: "Funciona 1 hora más", hint: "Si cambias el programa enseguida." },
    24: { name: "Funciona 24 horas más", hint: "Si lo cambias hoy." },
    168: { name: "Funciona 7 días más", hint: "Si otra persona tiene que cambiarlo." },
  },

  keys: {
    title: "Claves de API",
    lead:
      "Con una clave, un programa trabaja con los datos de tu empresa. Usa una distinta para cada programa.",
    one: "Clave de API",
    create: "Crear una clave",
    make: "Crear clave",
    none: "Todavía no hay claves de API",
    noneWhy:
      "Un programa necesita una clave para leer contactos o enviar mensajes de tu empresa. Crea una para cada programa.",
    noneExample:
      "Por ejemplo: “Tienda en línea” con Lectura y Mensajes, o “Reportes” solo con Lectura.",
    noneFound: "Ninguna clave tiene este nombre.",
    find: "Buscar una clave",
    ended: (count: number) => `Claves vencidas (${count})`,
    agents: (company: string) =>
      `Solo los propietarios y administradores de ${company} pueden administrar sus claves de API.`,
    whoMay: "Habla con una de estas personas:",
    name: "Nombre",
    nameHint: "¿Para qué sirve? Por ejemplo: tienda en línea.",
    nameMissing: "Escribe un nombre para la clave.",
    nameTooLong: "El nombre puede tener hasta 100 caracteres.",
    scopes: "Permisos",
    scopesHint: "Elige solo lo que el programa necesita. Ningún permiso incluye a otro.",
    scopesMissing: "Elige al menos un permiso.",
    expiry: "Vence",
    lastDay: "Último día",
    dateMissing: "Elige un día en el futuro.",
    neverExpires: "nunca",
    lastUse: "Último uso",
    neverUsed: "nunca",
    createdBy: "Creada por",
    madeByPlatform: "quien administra este servicio",
    states: { active: "Activa", off: "Desactivada", expired: "Vencida" },
    ends: (when: string) => `Vence ${when}`,
    replacedBy: "Reemplazada por",
    replacing: "Reemplaza a",
    facts: "Sobre esta clave",
    key: "Clave",
    keyHint: "La clave completa se mostró una vez y no se puede mostrar de nuevo.",
    changes: "Cambiar la clave",
    switchOn: "Activar",
    switchedOn: "La clave está activa de nuevo.",
    back: "Todas las claves",
    gone: "Esta clave no existe en esta empresa. Puede que se haya eliminado.",
    replacedBefore:
      "Esta clave ya se reemplazó. Vuelve a cargar la página y busca la clave que la reemplazó.",
    maybeMade:
      "No hubo respuesta, así que no sabemos si la clave se creó. Revisa la lista: elimina la clave que no querías crear y crea una nueva.",
  },

  alarms: {
    onlyErrors: {
      badge: "Solo errores",
      todo: (count: number, shown: string) =>
        count === 1
          ? "La única solicitud de las últimas 72 horas terminó en error. Abre la clave para ver qué hay que cambiar."
          : `Las ${shown} solicitudes de las últimas 72 horas terminaron en error. Abre la clave para ver qué hay que cambiar.`,
    },
    expiresSoon: {
      badge: (when: string) => `Vence ${when}`,
      todo:
        "Reemplázala antes o cambia su vencimiento. De lo contrario, su programa dejará de funcionar.",
    },
    neverUsed: {
      badge: "Sin uso",
      todo: "Ningún programa ha usado esta clave. Guárdala en su programa o elimínala.",
    },
  },

  once: {
    title: "Aquí está la clave nueva",
    lead:
      "Cópiala ahora y guárdala donde tu programa la lee. Nosotros no la guardamos, así que nadie podrá mostrártela de nuevo.",
    theKey: "La clave nueva",
    copyKey: "Copiar la clave",
    stored: "Ya la guardé",
    tryIt: "Pruébala",
    tryLead: "Pega una línea en una terminal. Contiene la clave: no se la muestres a nadie.",
    readLine: "Leer un contacto",
    writeLine: "Crear un contacto llamado Test",
    sendLine: (template: string) => `Enviar la plantilla “${template}” a este número`,
    phone: "Tu número de WhatsApp",
    phoneHint: "Con + y el código del país. El mensaje se envía de verdad a este número.",
    phoneHintLocal:
      "Sirve cualquier número: en esta máquina, una imitación de WhatsApp recibe el mensaje.",
    noTemplate:
      "Para enviar el primer mensaje, tu empresa necesita una cuenta de WhatsApp conectada con una plantilla aprobada. Todavía no hay ninguna.",
    readOn: "Cómo usar la API",
    leaveTitle: "¿Ya guardaste la clave?",
    leaveText: "Cuando salgas, no se podrá mostrar de nuevo.",
    stay: "Volver a la clave",
    leave: "Ya la guardé, salir",
  },

  change: {
    hasSuccessor: (hint: string, ends: string | null) =>
      `La clave ${hint} reemplazó a esta, que funciona hasta ${
        ends ?? "que alguien la desactive"
      }. Un programa que todavía usa esta deja de tener acceso de inmediato.`,
    hasDeadSuccessor: (hint: string, _ends: string | null) =>
      `La clave ${hint} reemplazó a esta, pero tampoco funciona. Ya no quedará ninguna que funcione.`,
    isSuccessor: (hint: string, ends: string | null) =>
      `Esta clave reemplaza a ${hint}, que solo funciona hasta ${
        ends ?? "que alguien la desactive"
      }. Después ya no quedará ninguna que funcione.`,
    isOnlyKey: (hint: string, _ends: string | null) =>
      `Esta clave reemplaza a ${hint}, que ya no funciona. Ya no quedará ninguna que funcione.`,
    expiry: {
      button: "Cambiar el vencimiento",
      title: "Cambiar cuándo vence la clave",
      text: "Después de ese momento, los programas que la usan dejan de tener acceso.",
      now: (when: string | null) => `Vencimiento actual: ${when ?? "nunca"}`,
      submit: "Cambiar el vencimiento",
      done: "El vencimiento se cambió.",
    },
    rename: {
      button: "Renombrar",
      title: "Renombrar la clave",
      submit: "Renombrar",
      done: "La clave tiene un nombre nuevo.",
    },
    switchOff: {
      button: "Desactivar",
      title: "¿Desactivar la clave?",
      text:
        "Los programas que la usan dejan de tener acceso de inmediato, hasta que la actives de nuevo.",
      submit: "Desactivar",
      done: "La clave está desactivada.",
    },
    rotate: {
      button: "Reemplazar",
      title: "Reemplazar la clave",
      text:
        "Recibes una clave nueva con el mismo nombre y los mismos permisos. La anterior sigue funcionando el tiempo que elijas, para que el programa cambie sin interrupciones.",
      overlap: "La clave anterior",
      stopsWebhooks:
        "“Deja de funcionar ahora” también desactiva estos webhooks, que creó la clave. Revisa cada dirección antes de activar un webhook de nuevo:",
      submit: "Crear la clave nueva",
    },
    delete: {
      button: "Eliminar",
      title: "¿Eliminar la clave?",
      text:
        "Los programas que la usan dejan de tener acceso de inmediato. No se puede deshacer. En caso de duda, desactívala primero.",
      typeName: (name: string) => `Para confirmar, escribe: ${name}`,
      otherName: "Ese no es el nombre de la clave. Escríbelo tal como aparece arriba.",
      submit: "Eliminar para siempre",
      done: "La clave se eliminó.",
    },
  },
};
