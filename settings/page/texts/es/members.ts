import type { MembersTexts } from "../en/members.ts";

export const members: MembersTexts = {
  title: "Personas de la empresa",
  lead: "Cada persona inicia sesión con su propio correo. Lo que puede hacer depende de su rol.",
  leadForAgents: "Los propietarios y administradores invitan a personas y cambian los roles.",
  person: "Persona",
  email: "Correo electrónico",
  name: "Nombre",
  nameHint:
    "Lo ven los colegas y los programas que usan una clave de API. El correo nunca se muestra a los programas.",
  role: "Rol",
  roles: {
    owner: { name: "Propietario", can: "Puede todo, también nombrar o quitar propietarios." },
    admin: {
      name: "Administrador",
      can: "Administra claves, números de WhatsApp, agentes y otros administradores.",
    },
    agent: {
      name: "Agente",
      can: "Ve los mensajes y los números de WhatsApp, sin cambiar la configuración.",
    },
  },
  secondFactor: "Segundo factor",
  on: "Activo",
  off: "Inactivo",
  since: "Desde",
  actions: "Acciones",
  invite: "Invitar a una persona",
  change: "Cambiar",
  changeOf: (name) => `Cambiar a ${name}`,
  leave: "Salir",
  remove: "Quitar de la empresa",
  pending: "Invitaciones pendientes",
  noPending: "No hay invitaciones pendientes",
  noPendingWhy:
    "Aquí aparece cada persona invitada hasta que se une. La invitación es válida por 7 días.",
  state: "Estado",
  waiting: "Esperando respuesta",
  notSent: "Correo no enviado",
  expired: "Vencida",
  validUntil: "Vence",
  sendAgain: "Enviar de nuevo",
  sendAgainTo: (email) => `Enviar de nuevo a ${email}`,
  withdraw: "Retirar",
  withdrawOf: (email) => `Retirar la invitación de ${email}`,
  sent: (email) => `Enviamos un correo a ${email}.`,
  notMailed: (email) =>
    `${email} ya tiene la invitación, pero el correo no se pudo enviar. Elige “Enviar de nuevo” en unos minutos.`,
  withdrawn: "La invitación fue retirada.",
  changed: "Guardado.",
  removed: "La persona ya no trabaja en esta empresa.",
  questions: {
    invite: {
      title: () => "Invitar a una persona",
      text: (company) =>
        `La persona recibe un correo con un enlace y decide si se une a ${company}.`,
      submit: "Enviar la invitación",
    },
    change: { title: (name) => `Cambiar a ${name}`, submit: "Guardar" },
    remove: {
      title: (name) => `¿Quitar a ${name}?`,
      text: (company) =>
        `Desde ahora, la persona no ve nada de ${company}. También se cancelan las invitaciones que hizo. Las claves de API que conoce siguen funcionando: reemplázalas. Los webhooks que creó siguen enviando eventos. Si conoce la clave secreta de una app de Meta, crea una nueva en Meta e ingrésala aquí.`,
      createdWebhooks:
        "La persona creó estos webhooks, que siguen enviando eventos. Revisa cada dirección y elimina el webhook si no lo necesitas:",
      submit: "Quitar",
    },
    leave: {
      title: () => "¿Salir de la empresa?",
      text: (company) =>
        `Ya no verás nada de ${company}. Solo un propietario o administrador puede invitarte de nuevo.`,
      submit: "Salir",
    },
    withdraw: {
      title: (name) => `¿Retirar la invitación de ${name}?`,
      text: () => "El enlace del correo ya no permitirá unirse.",
      submit: "Retirar",
    },
  },
  rule: {
    title: "Segundo factor para propietarios y administradores",
    optional: "Los propietarios y administradores pueden iniciar sesión solo con su contraseña.",
    required:
      "Los propietarios y administradores tienen sus permisos solo después de ingresar un código de su aplicación. La base de datos lo comprueba.",
    without: (count) =>
      count === 1
        ? "Una de estas personas aún no configuró una aplicación."
        : `${count} de estas personas aún no configuraron una aplicación.`,
    require: "Exigir un segundo factor",
    end: "Dejar de exigirlo",
    requiredSaid: "Ahora se exige un segundo factor.",
    endedSaid: "Ya no se exige un segundo factor.",
  },
  refused: {
    lastOwner:
      "Una empresa siempre tiene un propietario. Primero nombra a otra persona propietaria.",
    isMember: "Esta persona ya trabaja en la empresa.",
    isInvited: "Esta dirección ya está invitada. Elige “Enviar de nuevo” en la lista.",
    tooMany: "Tu empresa envió 20 invitaciones en 24 horas. Inténtalo mañana.",
    tooSoon: "Esta invitación se envió hace menos de un minuto. Espera un momento.",
    wrongAddress: "Esto no es una dirección de correo.",
    ownFactorFirst:
      "Primero configura tu propio segundo factor en Cuenta, Seguridad. Si no, perderías el acceso.",
    removalTooLong:
      "La operación tardó demasiado y no se cambió nada. Tal vez esta persona tenga demasiadas conversaciones asignadas. Inténtalo una vez más. Si vuelve a fallar, pide al operador del servicio que quite a la persona.",
  },
  own: {
    by: (name, role) => `${name} te invita a trabajar aquí como ${role}.`,
    someone: "Alguien",
    name: "Tu nombre en esta empresa",
    nameHint: "Así te ven tus colegas. Puedes dejarlo vacío.",
    join: (company) => `Unirme a ${company}`,
    decline: "Rechazar",
    expires: "La invitación vence",
    joined: (company) => `Ahora trabajas en ${company}.`,
    declined: "Rechazaste la invitación.",
    none: "No hay invitaciones",
    noneWhy: (email) =>
      `Nadie ha invitado a ${email}, o la invitación venció. Pregunta a quien quería invitarte.`,
  },
};
