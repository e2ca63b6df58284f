import type { Issue, IssueCode } from './issue';

/** A step from an object to one of its properties. */
export interface PathStep {
  /** The name in JSON: valueQuantity. */
  readonly property: string;
  /** The name in FHIRPath: value. */
  readonly elementName: string;
  /** Whether the value of the element is a resource. */
  readonly holdsResource: boolean;
}

/** The maximum number of faults of one resource. One more issue says that there are more. */
export const MAX_ISSUES = 1000;

/** The state of the validation of one resource: the current path, and the faults found so far. */
export class Findings {
  readonly issues: Issue[] = [];
  /** The types of the contained resources of the current resource by id, for references to "#id". */
  contained: ReadonlyMap<string, string> = new Map();
  /** The number of objects that enclose the current one. */
  depth = 0;

  private readonly steps: (PathStep | number)[] = [];
  private length = 0;

  constructor(private readonly rootType: string) {}

  enter(step: PathStep | number): void {
    this.steps[this.length++] = step;
  }

  leave(): void {
    this.length--;
  }

  /** Adds a fault of the current element. */
  fault(code: IssueCode, diagnostics: string): void {
    if (this.issues.length > MAX_ISSUES) return;
    if (this.issues.length === MAX_ISSUES) {
      this.issues.push({
        severity: 'error',
        code: 'too-costly',
        diagnostics: `The resource has more than ${MAX_ISSUES} faults; the others are not listed.`,
        expression: this.rootType,
      });
      return;
    }
    this.issues.push({
      severity: 'error',
      code,
      diagnostics,
      expression: this.expression(),
      location: this.location(),
    });
  }

  /** Adds a fault of an element of the current object. */
  faultAt(step: PathStep, code: IssueCode, diagnostics: string): void {
    this.enter(step);
    this.fault(code, diagnostics);
    this.leave();
  }

  private expression(): string {
    let path = this.rootType;
    for (const step of this.steps.slice(0, this.length))
      path += typeof step === 'number' ? `[${step}]` : `.${step.elementName}`;
    return path;
  }

  private location(): string {
    let path = `/f:${this.rootType}`;
    let resource = '';
    for (const step of this.steps.slice(0, this.length)) {
      if (typeof step === 'number') {
        path += `[${step + 1}]`;
      } else {
        path += `${resource}/f:${step.property}`;
        resource = step.holdsResource ? '/*' : '';
      }
    }
    return path;
  }
}
