import type { PageTexts } from './english';

/** `{system}` never follows `a` or `de`, which contract with the article of its replacement to `al` and `del`. */
export const spanish: PageTexts = {
  errors: {
    broken_link: {
      title: 'Este enlace no funciona',
      happened: 'El enlace con el que ha llegado desde {app} está incompleto o dañado.',
      next: 'Vuelva a {app} e inténtelo de nuevo. Si vuelve a ocurrir, avise a los responsables de {app}.',
    },
    unknown_address: {
      title: 'Aquí no hay ninguna página',
      happened: 'Esta dirección no existe. Es posible que el enlace que le ha traído aquí esté cortado.',
      next: 'Vuelva a {app} e inténtelo de nuevo.',
    },
    invalid_client: {
      title: 'Esta aplicación no es conocida aquí',
      happened: 'La aplicación que le ha enviado aquí no está registrada en este servicio.',
      next: 'Avise a los responsables de la aplicación. Solo ellos pueden corregirlo.',
    },
    invalid_token: {
      title: 'Su sesión ha terminado',
      happened: 'Su sesión en {app} ya no es válida.',
      next: 'Vuelva a {app}, inicie sesión de nuevo y, después, conéctese.',
    },
    health_system_not_found: {
      title: 'No se ha encontrado este sistema de salud',
      happened: 'El sistema de salud que ha elegido en {app} no está en nuestro directorio.',
      next: 'Vuelva a {app} y elija otro sistema de salud.',
    },
    connection_not_found: {
      title: 'No se ha encontrado esta conexión',
      happened: 'Quería renovar una conexión con {system}. Esa conexión no existe o pertenece a otra cuenta.',
      saved: 'No se ha cambiado nada. Sus otras conexiones siguen como estaban.',
      next: 'Vuelva a {app} y conecte de nuevo el sistema de salud.',
    },
    unsupported_fhir_version: {
      title: 'Su historial no está disponible en este formato',
      happened: 'Su historial en {system} se ha solicitado desde {app} en un formato que no se puede leer.',
      next: 'Vuelva a {app} y elija otro sistema de salud, o avise a los responsables de {app}.',
    },
    invalid_redirect_uri: {
      title: 'Nos hemos detenido para proteger su historial',
      happened: 'El enlace pide que le enviemos a una dirección que no está registrada para {app}.',
      next: 'No vuelva a usar este enlace. Abra usted {app} y conéctese desde allí. Si vuelve a ocurrir, avise a los responsables de {app}.',
    },
    connect_link_ended: {
      title: 'Este enlace ya no es válido',
      happened:
        'Un enlace de {app} funciona una sola vez, durante diez minutos y en el navegador que lo abre primero. Este ya se ha usado, ha tardado demasiado o se ha abierto en otro lugar.',
      next: 'Abra usted {app} y vuelva a conectarse desde allí.',
    },
    invalid_origin: {
      title: 'La respuesta no vino de nuestra página',
      happened:
        'Otra página ha respondido por usted a la pregunta de si desea conectarse. No hemos aceptado esa respuesta.',
      next: 'Abra usted {app} y conéctese desde allí. Si vuelve a ocurrir, avise a los responsables de {app}.',
    },
    too_many_requests: {
      title: 'Demasiados intentos',
      happened: 'Ha habido demasiados intentos de conexión en poco tiempo.',
      saved: 'Este intento no se ha llevado a cabo. No se ha conectado nada con él.',
      next: 'Espere {wait} y vuelva a intentarlo.',
    },
    temporarily_unavailable: {
      title: 'En este momento no es posible conectarse',
      happened: 'Una parte de nuestro servicio no está disponible. Ahora no se puede conectar {app} con {system}.',
      next: 'Vuelva a intentarlo dentro de unos minutos.',
    },
    internal_error: {
      title: 'Se ha producido un error en nuestro servicio',
      happened: 'Un error inesperado de nuestro servicio ha impedido la conexión con {system}.',
      next: 'Vuelva a intentarlo dentro de unos minutos. Si vuelve a ocurrir, avise a los responsables de {app} e indique la solicitud que aparece abajo.',
    },
    unreadable_response: {
      title: 'Ha vuelto con un enlace incompleto',
      happened:
        'El enlace con el que el sistema de salud le ha enviado de vuelta está incompleto. El inicio de sesión no se puede completar.',
      next: 'Vuelva a {app} y conéctese de nuevo.',
    },
    used_state: {
      title: 'Este inicio de sesión ya ha terminado',
      happened:
        'Un inicio de sesión en un sistema de salud solo se puede usar una vez, y este ya se ha usado. Ocurre cuando la página se vuelve a cargar o se abre por segunda vez.',
      saved: 'Esta vez no se ha cambiado nada. Si ya se había hecho una conexión, se mantiene.',
      next: 'Vuelva a {app}. Allí verá si el sistema de salud está conectado. Si no lo está, conéctese de nuevo.',
    },
    state_not_of_browser: {
      title: 'Este inicio de sesión no está abierto en este navegador',
      happened:
        'Un inicio de sesión debe completarse en diez minutos y en el navegador en el que empezó. Este ya ha terminado, ha tardado demasiado o empezó en otro navegador, o este navegador ha borrado o bloqueado su cookie.',
      saved: 'Esta vez no se ha conectado nada. Si ya se había hecho una conexión, se mantiene.',
      next: 'Vuelva a {app}, conéctese de nuevo y siga en el mismo navegador hasta el final. Si las cookies están bloqueadas, permítalas para este sitio.',
    },
    callback_failed: {
      title: 'No hemos podido terminar la conexión',
      happened: 'Una parte de nuestro servicio ha fallado al terminar la conexión con {system}.',
      saved: 'No es seguro que el sistema de salud se haya conectado.',
      next: 'Vuelva a intentarlo. Si no sirve, vuelva a {app}. Allí verá si el sistema de salud está conectado.',
    },
  },
  link: {
    title: '¿Es esta su cuenta?',
    purpose: 'La aplicación {app} quiere leer su historial médico. Lo guarda {system}.',
    account: 'El historial irá a la cuenta {account} en {app}.',
    unnamedAccount: 'El historial irá a la cuenta en {app} desde la que ha llegado aquí.',
    warning:
      '¿Alguien le ha enviado un enlace a esta página? Entonces no es su cuenta: esa persona recibiría su historial. Responda que no.',
    signIn: 'A continuación iniciará sesión en el sitio que lleva {system}. Nosotros nunca vemos su contraseña.',
    yes: 'Sí, continuar',
    no: 'No, detenerse aquí',
  },
  app: 'la aplicación',
  system: 'el sistema de salud',
  nothingSaved: 'No se ha conectado ni guardado nada.',
  tryAgain: 'Volver a intentarlo',
  backToApp: 'Volver a {app}',
  details: {
    summary: 'Detalles para el servicio de asistencia',
    app: 'Aplicación',
    system: 'Sistema de salud',
    code: 'Código de error',
    status: 'Estado',
    request: 'Solicitud',
  },
};
