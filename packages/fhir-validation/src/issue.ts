/** The issue types that validation uses, which all releases have: https://hl7.org/fhir/R4/valueset-issue-type.html. */
export type IssueCode =
  | 'structure'
  | 'required'
  | 'value'
  | 'invariant'
  | 'code-invalid'
  | 'too-long'
  | 'too-costly'
  | 'not-supported'
  | 'informational';

/** https://hl7.org/fhir/R4/valueset-issue-severity.html */
export type IssueSeverity = 'fatal' | 'error' | 'warning' | 'information';

/** A fault of a resource. It names the element and the rule and does not contain the value. */
export interface Issue {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  readonly diagnostics: string;
  /** The element as a FHIRPath expression: Patient.name[0].family. Absent when the value is no resource. */
  readonly expression?: string;
  /** The element as an XPath expression, for DSTU2: /f:Patient/f:name[1]/f:family. */
  readonly location?: string;
}
