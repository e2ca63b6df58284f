/** The extension that represents the r4 element Meta.source in earlier releases. */
export const metaSourceExtension = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';
/** The extension of `meta` for the URL in the source of an r4 resource that has a `meta.source` of its own. */
export const sourceAddressExtension = 'urn:tributary:source-address';
