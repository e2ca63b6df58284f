declare module '@lhncbc/ucum-lhc' {
  interface BaseUnits {
    status: 'succeeded' | 'failed' | 'invalid' | 'error';
    magnitude: number;
    unitToExp: Record<string, number>;
  }
  export class UcumLhcUtils {
    static getInstance(): UcumLhcUtils;
    convertToBaseUnits(code: string, value: number): BaseUnits;
  }
}

declare module '@lhncbc/ucum-lhc/source-cjs/unitString.js' {
  export class UnitString {
    static getInstance(): UnitString;
    /** The unit, or null, and the text as it was understood. */
    parseString(code: string, use: 'validate'): [object | null, string, ...unknown[]];
  }
}
