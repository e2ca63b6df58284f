{{- define "tributary.job" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}
  labels: {{- include "tributary.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  backoffLimit: {{ .root.Values.jobs.backoffLimit }}
  activeDeadlineSeconds: {{ .root.Values.jobs.activeDeadlineSeconds }}
  template: {{- include "tributary.pod" (merge (dict "pod" (dict "restartPolicy" "Never")) .) | nindent 4 }}
{{- end }}
