import type { ChronicCondition } from './codes/clinical';

/** The properties from which a person is generated. */
export interface Profile {
  username: string;
  given: string;
  family: string;
  gender: 'female' | 'male';
  birthDate: string;
  chronic: ChronicCondition[];
  encounters: number;
}
