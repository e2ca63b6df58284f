/** What an export leaves of the resources that it reads, beyond their type and time. */
export interface LineSelection {
  /** `_elements`: names of elements, of one type where a type stands before the name. */
  readonly elements?: readonly string[];
  /** `_typeFilter`: searches such as `Observation?status=final`; of those of one type one must match. */
  readonly typeFilters?: readonly string[];
  /** `patient`: ids of Patients in whose compartments the resources are. */
  readonly patients?: readonly string[];
}

/** Whether it leaves out whole lines, so that counts must be found by looking. */
export function leavesOutLines({ typeFilters, patients }: LineSelection): boolean {
  return typeFilters !== undefined || patients !== undefined;
}
