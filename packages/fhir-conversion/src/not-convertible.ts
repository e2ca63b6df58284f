/** The names that may stand in a reason; others might be text that should not be repeated. */
const NAME = /^_?[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Ends the conversion of a resource. The reason names elements, never their values. */
export class NotConvertible extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The reason why an element that the source release does not know stops a conversion. */
export function unknownElement(type: string, property: string): NotConvertible {
  const element = NAME.test(property)
    ? `no element ${type}.${property.replace('_', '')}`
    : `an element of ${type} with a name that is none`;
  return new NotConvertible(
    NAME.test(property) ? `The release of the resource has ${element}.` : `The resource has ${element}.`,
  );
}
