package search

// groups are words that mean the same in help centres, a group a line. English words
// come first in each.
const groups = `
account konto compte cuenta conta
delete löschen supprimer eliminar borrar
invoice billing rechnung facture factura fattura
language sprache langue idioma lingua
translation übersetzung traduction traducción
change ändern changer cambiar
interface oberfläche interfaz
two-factor zwei-faktor
verification verifizierung vérification verificación
multi-factor zwei-schritt verificación bestätigung dos étapes
contact kontakt kontakte contacto
send senden versenden verschicken verschickt envoyer enviar
password passwort kennwort mot-de-passe contraseña clave
file datei fichier archivo
merge zusammenführen fusionner fusionar juntar junto unir
duplicate doppelt doublon duplicado
invite einladen inviter invitar
user benutzer nutzer utilisateur usuario
colleague kollege kollegin collègue compañero colega
price preis preise prix precio kosten tarif
pay bezahlen payer pagar zahlung paiement pago
export exportieren exporter exportar
import importieren importer importar
settings einstellungen paramètres réglages ajustes configuración
install installieren installer instalar
device gerät appareil dispositivo
computer rechner ordinateur ordenador
phone telefon handy téléphone teléfono móvil
login anmelden einloggen connexion connecter iniciar sesión
log-in anmeldung connexion sesión
recover wiederherstellen récupérer recuperar
lost verloren perdu perdido
forgot vergessen oublié olvidé
subscription abo abonnement suscripción
cancel kündigen annuler résilier cancelar
share teilen partager compartir
permission rechte berechtigung droits permisos
team mannschaft équipe equipo
website webseite webauftritt site sitio
visitor besucher visiteur visitante
report bericht rapport informe
statistics statistik statistiques estadísticas
open öffnen ouvrir abrir
activate aktivieren activer activar enable
disable deaktivieren désactiver desactivar
limit begrenzen limiter limitar
form formular formulaire formulario
page seite página
image bild image imagen
key schlüssel clé clave
server serveur servidor
update aktualisieren mise-à-jour actualizar
error fehler erreur error
help hilfe aide ayuda
search suche recherche buscar
download herunterladen télécharger descargar
upload hochladen téléverser subir
ship versand livraison envío
return rückgabe retour devolución
refund erstattung rückerstattung remboursement reembolso
order bestellung commande pedido
address adresse adresse dirección
email correo courriel
folder ordner dossier carpeta
name namen nom nombre
network netzwerk réseau red
domain domäne domaine dominio
data daten données datos
backup sicherung sauvegarde
security sicherheit sécurité seguridad
privacy datenschutz confidentialité privacidad

email mail mails emails message messages
phone telephone mobile cell
bill bills invoice invoices billing receipt
price prices pricing cost costs fee
delete remove erase deletion removal
login signin logon
log sign login
password passwort passcode pin
2fa mfa otp tfa authenticator two-factor twofactor multi-factor multifactor
picture image photo pic
setup install installation configure configuration
colleague teammate coworker member user
staff employee employees team member users
website site homepage web page
popup modal
video film movie
upgrade update
computer machine pc laptop desktop device
company organization organisation firm business
customer client contact
person people contact user
score scores point points
cancel cancellation unsubscribe terminate
refund return money-back reimbursement
ship shipping delivery deliver dispatch
buy purchase order
pay payment payments
copy duplicate clone
merge combine join
change edit modify
move migrate migration transfer
hide invisible disappear
language languages translation translate locale
spreadsheet csv excel xls
import upload load
export download
file document
chart graph diagram widget report
schedule scheduled plan
error failure problem issue bug troubleshooting
broken fail failed troubleshooting
slow performance speed latency
hotkey shortcut shortcuts keyboard
restart reboot
stop disable deactivate off
start enable activate
begin start startup
automatic automatically auto
limit limits quota maximum frequency
permission permissions role roles access rights
invite add
share sharing
backup save restore
recover recovery reset lost
domain address url
key token
hook integrate integration connect
app application client
plan subscription tier
server host hosting self-hosted selfhosted
docker container
alert alerts notification notifications notify
bot robot crawler
group team segment list
sms text texting
newsletter campaign email
form survey questionnaire
sync synchronize synchronise synchronization
mac macos osx
iphone ios ipad
tv television
office site branch
block ban deny forbid
allow permit grant
secure security safe safety
encrypt encryption encrypted
rename name
owner admin administrator
switch change
revoke remove expire
verify confirm verification confirmation
country countries location geo
visitor visitors visit visits
statistics stats analytics metrics numbers
gdpr privacy
cookie cookies tracking
log logs audit history activity
`
