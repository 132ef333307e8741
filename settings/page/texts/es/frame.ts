export const frame = {
  product: "Configuración de la API",
  menu: { keys: "Claves", accounts: "WhatsApp", history: "Historial" },
  roles: { owner: "propietario/a", admin: "administrador/a", agent: "agente" },
  people: {
    you: "tú",
    former: "alguien que ya no está",
    nameless: (role: string) => `${role} sin nombre`,
  },

  frame: {
    skip: "Ir al contenido",
    menu: "Configuración",
    language: "Idioma",
    person: "Cuenta",
    signedInAs: "Has entrado como ",
    docs: "Documentación",
    signOut: "Cerrar sesión",
    cancel: "Cancelar",
    loading: "Cargando …",
    tryAgain: "Intentar de nuevo",
    copy: "Copiar",
    copied: "Copiado.",
    copyByHand:
      "El navegador no deja copiar a la página. El texto está seleccionado: pulsa Ctrl+C, o ⌘C en un Mac.",
    wrongConfig: (member: string | null) =>
      member
        ? `Esta página aún no está lista: “${member}” de su archivo config.json falta o no es válido. Avisa a quien la administra.`
        : "Esta página aún no está lista: su archivo config.json falta o no se puede leer. Avisa a quien la administra.",
  },

  companies: {
    title: "Elige una empresa",
    lead: "Trabajas en más de una. Puedes cambiar cuando quieras.",
    change: "Cambiar de empresa",
    none: "Ninguna empresa todavía",
    noneText: (email: string) =>
      `${email} aún no pertenece a ninguna empresa. Pide a quien administra este servicio que te añada. Después inténtalo de nuevo.`,
  },

  failure: {
    offline: "No hubo respuesta. Comprueba tu conexión e inténtalo de nuevo.",
    unanswered:
      "No hubo respuesta, así que no sabemos si se hizo. Comprueba tu conexión, vuelve a cargar la página y míralo.",
    signed_out: "Tu sesión ha terminado. Entra de nuevo.",
    forbidden:
      "No puedes hacer esto. Solo pueden los propietarios y administradores de la empresa; quizá tu papel haya cambiado.",
    gone: "Esto ya no existe. Puede que alguien lo haya eliminado.",
    conflict: "Otra persona acaba de cambiar esto. Vuelve a cargar la página y míralo.",
    invalid: "Esto no se ha aceptado.",
    too_many: "Han sido demasiados intentos en poco tiempo. Espera un minuto e inténtalo de nuevo.",
    server: "Algo ha fallado por nuestra parte y no se ha cambiado nada. Inténtalo en un minuto.",
    unknown: "Algo inesperado ha fallado. Vuelve a cargar la página.",
    withDetail: (sentence: string, detail: string) => `${sentence} (${detail})`,
  },
};
