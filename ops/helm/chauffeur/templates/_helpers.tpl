{{- define "chauffeur.name" -}}
{{- if contains "chauffeur" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-chauffeur" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "chauffeur.selector" -}}
app.kubernetes.io/name: chauffeur
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "chauffeur.labels" -}}
{{ include "chauffeur.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* A pod that runs a command of the server; it keeps nothing on disk. */}}
{{- define "chauffeur.pod" -}}
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .part }}
    image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: [{{ .part }}]
    envFrom:
      - secretRef: { name: {{ .root.Values.existingSecret }} }
    env:
      {{- range $name, $value := .root.Values.settings }}
      - name: {{ $name }}
        value: {{ $value | quote }}
      {{- end }}
      {{- if and .root.Values.monitoring.enabled (ne .part "migrate") }}
      - name: CHAUFFEUR_METRICS_PORT
        value: "9464"
      {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    {{- with .resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- $hasMetrics := and .root.Values.monitoring.enabled (ne .part "migrate") }}
    {{- if or $hasMetrics (eq .part "api") }}
    ports:
      {{- if eq .part "api" }}
      - { name: http, containerPort: 4000 }
      {{- end }}
      {{- if $hasMetrics }}
      - { name: metrics, containerPort: 9464 }
      {{- end }}
    {{- end }}
    {{- if eq .part "api" }}
    startupProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 10
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /ready, port: http }
      periodSeconds: 5
    {{- end }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      {{- if and .root.Values.legalPages (eq .part "api") }}
      - { name: legal, mountPath: /legal, readOnly: true }
      {{- end }}
volumes:
  # Symbols during their upload, and copies of compiled ones.
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- if and .root.Values.legalPages (eq .part "api") }}
  - name: legal
    configMap: { name: {{ include "chauffeur.name" .root }}-legal }
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
