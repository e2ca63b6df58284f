import type { Issue, IssueCode } from './issue';

/** A step from an object to one of its properties. */
export interface PathStep {
  /** The name in JSON: valueQuantity. */
  readonly property: string;
  /** The name in FHIRPath: value. */
  readonly elementName: string;
  /** True for an element that holds a whole resource. */
  readonly holdsResource: boolean;
}

/** How many faults one outcome tells; the last says that there are more. */
export const MAX_ISSUES = 1000;

/** The place where validation is, and the faults it has found. One for each validated resource. */
export class Findings {
  readonly issues: Issue[] = [];
  /** The contained resources of the resource at hand, by id: what "#id" may refer to. */
  contained: ReadonlyMap<string, string> = new Map();
  /** How many objects lie around the one at hand. */
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

  /** Notes a fault of the element at hand. */
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

  /** Notes a fault of an element in the object at hand. */
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
