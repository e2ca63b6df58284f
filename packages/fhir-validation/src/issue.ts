/** The FHIR issue types (all of them known to dstu2, stu3 and r4) that validation uses. */
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

export type IssueSeverity = 'fatal' | 'error' | 'warning' | 'information';

/** One fault of a resource. It names the element and the rule, never the value. */
export interface Issue {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  readonly diagnostics: string;
  /** Where the fault lies, as FHIRPath: Patient.name[0].family. Absent when the whole text is no resource. */
  readonly expression?: string;
  /** The same place as XPath, which dstu2 asks for: /f:Patient/f:name[1]/f:family. */
  readonly location?: string;
}
