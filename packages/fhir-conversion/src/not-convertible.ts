/** Names that a reason can contain. Any other name could contain health data. */
const NAME = /^_?[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Thrown when a resource cannot be converted. The reason names elements and does not contain their values. */
export class NotConvertible extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The error for an element that the source release does not have. */
export function unknownElement(type: string, property: string): NotConvertible {
  const element = NAME.test(property)
    ? `no element ${type}.${property.replace('_', '')}`
    : `an element of ${type} with a name that is none`;
  return new NotConvertible(
    NAME.test(property) ? `The release of the resource has ${element}.` : `The resource has ${element}.`,
  );
}
