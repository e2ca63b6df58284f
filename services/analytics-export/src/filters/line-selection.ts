/** The filters of an export on its lines, in addition to type and time. */
export interface LineSelection {
  /** `_elements`: names of elements; a name with a type, such as `Patient.name`, applies to this type only. */
  readonly elements?: readonly string[];
  /**
   * `_typeFilter`: searches such as `Observation?status=final`. A resource must match any of the searches of its type.
   */
  readonly typeFilters?: readonly string[];
  /** `patient`: ids of Patients in whose compartments the resources are. */
  readonly patients?: readonly string[];
  /**
   * `_releasePerSource`: of each health system, only the newest release in which the record has it. For resources that
   * are converted to R4.
   */
  readonly releasePerSource?: 'newest';
}

/** Whether the selection leaves out whole lines. Then only reading the lines gives their number. */
export function leavesOutLines({ typeFilters, patients, releasePerSource }: LineSelection): boolean {
  return typeFilters !== undefined || patients !== undefined || releasePerSource !== undefined;
}
