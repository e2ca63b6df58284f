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
