export const frame = {
  product: "Configuración de la API",
  menu: {
    keys: "Claves de API",
    webhooks: "Webhooks",
    requests: "Solicitudes",
    sends: "Envíos",
    accounts: "WhatsApp",
    templates: "Plantillas",
    optOuts: "Bajas",
    members: "Personas",
    history: "Historial",
    security: "Seguridad",
    invitations: "Invitaciones",
  },
  roles: { owner: "propietario/a", admin: "administrador/a", agent: "agente" },
  people: {
    you: "tú",
    former: "alguien que ya no está",
    nameless: (role: string) => `${role} sin nombre`,
  },

  frame: {
    skip: "Ir al contenido",
    menu: "Configuración",
    menuButton: "Menú",
    language: "Idioma",
    person: "Cuenta",
    signedInAs: "Iniciaste sesión como ",
    docs: "Documentación",
    signOut: "Cerrar sesión",
    cancel: "Cancelar",
    loading: "Cargando…",
    tryAgain: "Intentar de nuevo",
    copy: "Copiar",
    copied: "Copiado.",
    copyByHand:
      "El navegador no deja copiar a la página. El texto está seleccionado: presiona Ctrl+C, o ⌘C en una Mac.",
    nothingHere: "Aquí no hay nada",
    nothingHereText:
      "La configuración no tiene ninguna página con esta dirección. Puede que el enlace sea antiguo o esté incompleto.",
    toFirst: "Ir a la primera página",
    search: "Buscar",
    clearFilters: "Quitar los filtros",
    older: "Anteriores",
    olderShown: (count: number) =>
      count === 1 ? "1 registro anterior." : `${count} registros anteriores.`,
    zone: (zone: string) => `Las horas están en tu zona horaria: ${zone}.`,
    wrongConfig: (member: string | null) =>
      member
        ? `Esta página aún no está lista: “${member}” de su archivo config.json falta o no es válido. Avisa a quien la administra.`
        : "Esta página aún no está lista: su archivo config.json falta o no se puede leer. Avisa a quien la administra.",
  },

  companies: {
    locked: "Esta empresa exige un segundo factor",
    lockedText:
      "Los propietarios y administradores de esta empresa inician sesión con un código de una aplicación de su teléfono. Configura la tuya ahora; solo toma un minuto.",
    setUp: "Configurar la aplicación",
    invited: (company: string) => `${company} te invita: responde a la invitación`,
    title: "Elige una empresa",
    lead: "Trabajas en más de una. Puedes cambiar cuando quieras.",
    change: "Cambiar de empresa",
    foreign: "No trabajas en esta empresa",
    foreignText: (email: string) =>
      `La dirección es de una empresa a la que ${email} no pertenece, o está incompleta. Pide a un propietario de esa empresa que te invite. Estas son tus empresas:`,
    none: "Todavía no tienes empresa",
    noneText: (email: string) =>
      `${email} aún no pertenece a ninguna empresa. Pide a un propietario o administrador de tu empresa que invite a esta dirección. Después inténtalo de nuevo.`,
  },

  failure: {
    offline: "No hubo respuesta. Revisa tu conexión e inténtalo de nuevo.",
    unanswered:
      "No hubo respuesta, así que no sabemos si se hizo. Revisa tu conexión y vuelve a cargar la página para saberlo.",
    signed_out: "Tu sesión había terminado. Inicia sesión e inténtalo de nuevo.",
    forbidden:
      "No puedes hacer esto. Solo los propietarios y administradores de la empresa pueden; quizá tu rol cambió.",
    gone: "Esto ya no existe. Quizá alguien lo eliminó.",
    conflict: "Otra persona acaba de cambiar esto. Vuelve a cargar la página para ver el cambio.",
    invalid: "Esto no se aceptó.",
    too_many: "Hubo demasiados intentos en poco tiempo. Espera un minuto e inténtalo de nuevo.",
    server: "Algo falló de nuestro lado y no se cambió nada. Inténtalo de nuevo en un minuto.",
    unknown: "Algo inesperado falló. Vuelve a cargar la página.",
    withDetail: (sentence: string, detail: string) => `${sentence} (${detail})`,
  },
};
