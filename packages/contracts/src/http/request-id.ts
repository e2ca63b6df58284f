/** The values of `X-Request-Id` that are accepted from callers; any other value is replaced by a new id. */
export const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
